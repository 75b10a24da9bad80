import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailedRehearsal, Rehearsal, Scenario, Stage } from '@coxswain/rehearsal';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { harmless } from '../render/measure.ts';
import { canDraw, type Terminal } from '../terminal/terminal.ts';
import { agentOptions } from './agent-options.ts';
import { fleetScenarios } from './fleet-scenarios.ts';
import { textReport } from './report.ts';
import { scenarioFiles } from './scenario-files.ts';

/** The flags of `cox rehearse`. */
export interface RehearseFlags {
  readonly agent?: string;
  readonly against?: string;
  readonly cli?: string;
  readonly againstCli?: string;
  readonly workspace?: string;
  readonly ref?: string;
  readonly tools?: 'recorded' | 'real';
  readonly unsafe?: boolean;
  readonly fleet?: string | true;
  readonly since?: number;
  readonly limit?: number;
  readonly jobs?: number;
  readonly onDivergence?: 'continue' | 'stop';
  readonly keep?: string;
  readonly update?: boolean;
  readonly json?: boolean;
  readonly markdown?: string | true;
  readonly html?: string;
  readonly quiet?: boolean;
  readonly color?: boolean;
}

/** `cox rehearse`: runs recorded conversations again, and reports the differences. */
export async function rehearse(paths: readonly string[], flags: RehearseFlags, terminal: Terminal): Promise<ExitCode> {
  const kit = await import('@coxswain/rehearsal');
  if (flags.update && flags.fleet !== undefined) throw new UsageError('--update changes kept scenarios, not a fleet.');
  const found = await conversationsOf(paths, flags);
  if (flags.keep !== undefined) return keep(found, flags.keep, terminal);
  const { scenarios, unreadable } = found;
  const stage = await stageOf(flags.agent, flags.cli, flags);
  const comparesStages = flags.against !== undefined || flags.againstCli !== undefined;
  const against = comparesStages
    ? await stageOf(flags.against ?? flags.agent, flags.againstCli ?? flags.cli, flags)
    : undefined;
  const progress = new Progress(terminal, flags.quiet === true);
  const rehearsed = await kit.rehearseAll(scenarios, stage, {
    against,
    concurrency: flags.jobs,
    onDivergence: flags.onDivergence,
    onProgress: (done, all) => progress.show(done, all),
  });
  progress.end();
  if (flags.update) return update(found, rehearsed, terminal);
  const results = [...rehearsed, ...unreadable];
  await print(results, flags, terminal);
  const ran = results.filter((result): result is Rehearsal => 'after' in result);
  if (ran.length < results.length) return EXIT.usage;
  return ran.some(({ differences }) => differences.length > 0) ? EXIT.failed : EXIT.ok;
}

async function stageOf(
  agent: string | undefined,
  cli: string | undefined,
  { workspace, ref, tools, unsafe }: Pick<RehearseFlags, 'workspace' | 'ref' | 'tools' | 'unsafe'>,
): Promise<Stage> {
  const name = [agent, cli].filter((part) => part !== undefined).join(', ') || 'the CLI alone';
  return {
    name,
    agent: agent === undefined ? undefined : await agentOptions(agent),
    cli,
    workspace,
    ref,
    tools,
    unsafe,
  };
}

interface Conversations {
  readonly scenarios: readonly Scenario[];
  readonly unreadable: readonly FailedRehearsal[];
  /** The file of each scenario; a conversation of a fleet has none. */
  readonly paths: readonly string[];
}

async function conversationsOf(named: readonly string[], flags: RehearseFlags): Promise<Conversations> {
  const choice = { since: flags.since, limit: flags.limit };
  if (flags.fleet !== undefined) {
    const database = flags.fleet === true ? undefined : flags.fleet;
    const found = await fleetScenarios(named, database, choice);
    return { ...found, paths: found.scenarios.map(({ name }) => name) };
  }
  const { readScenarios } = await import('@coxswain/rehearsal');
  const scenarios: Scenario[] = [];
  const paths: string[] = [];
  const unreadable: FailedRehearsal[] = [];
  for (const file of await scenarioFiles(named, choice)) {
    try {
      for (const scenario of await readScenarios(file)) {
        scenarios.push(scenario);
        paths.push(file);
      }
    } catch (error) {
      unreadable.push({ scenario: file, failure: error instanceof Error ? error.message : String(error) });
    }
  }
  return { scenarios, paths, unreadable };
}

/** Writes the conversations as scenarios, which a repository can keep. Files that exist stay as they are. */
async function keep({ scenarios, unreadable }: Conversations, folder: string, terminal: Terminal): Promise<ExitCode> {
  const { writeScenario } = await import('@coxswain/rehearsal');
  await mkdir(folder, { recursive: true });
  const existing = new Set(await readdir(folder));
  const left = unreadable.map(({ scenario, failure }) => `${scenario}: ${failure}`);
  for (const scenario of scenarios) {
    const name = `${scenario.name.replace(/\.(jsonl?|ndjson|txt)$/, '').replace(/[^\w.-]/g, '-')}.json`;
    if (existing.has(name)) {
      left.push(`${scenario.name}: ${join(folder, name)} exists`);
      continue;
    }
    existing.add(name);
    await writeScenario(join(folder, name), scenario);
    terminal.stdout.write(`${join(folder, name)}\n`);
  }
  for (const line of left) terminal.stderr.write(`not kept: ${harmless(line)}\n`);
  terminal.stderr.write('They contain the whole conversation: read them before you commit them.\n');
  return left.length === 0 ? EXIT.ok : EXIT.usage;
}

/** Writes today's decisions into kept scenarios, for an intended change. Transcripts are never changed. */
async function update(
  { scenarios, paths, unreadable }: Conversations,
  results: readonly (Rehearsal | FailedRehearsal)[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { acceptDecisions, writeScenario } = await import('@coxswain/rehearsal');
  let failed = unreadable.length > 0;
  for (const { scenario, failure } of unreadable) terminal.stderr.write(`${harmless(`${scenario}: ${failure}`)}\n`);
  for (const [index, result] of results.entries()) {
    const [scenario, path] = [scenarios[index], paths[index]];
    if (scenario === undefined || path === undefined) continue;
    if (!('after' in result) || !path.endsWith('.json')) {
      failed = true;
      const reason = 'after' in result ? 'only scenarios (.json) are updated' : result.failure;
      terminal.stderr.write(`${harmless(`${path}: ${reason}`)}\n`);
    } else if (result.differences.length > 0) {
      await writeScenario(path, acceptDecisions(scenario, result.after));
      terminal.stdout.write(`${harmless(path)}\n`);
    }
  }
  return failed ? EXIT.usage : EXIT.ok;
}

async function print(
  results: readonly (Rehearsal | FailedRehearsal)[],
  flags: RehearseFlags,
  terminal: Terminal,
): Promise<void> {
  const { htmlReport, markdownReport, summarize } = await import('@coxswain/rehearsal');
  if (typeof flags.markdown === 'string') await write(flags.markdown, markdownReport(results));
  if (flags.html !== undefined) await write(flags.html, htmlReport(results));
  if (flags.json) terminal.stdout.write(`${JSON.stringify({ ...summarize(results), results }, undefined, 2)}\n`);
  else if (flags.markdown === true) terminal.stdout.write(markdownReport(results));
  else terminal.stdout.write(textReport(results, flags, terminal));
}

/** Reports contain commands and paths, so only their owner can read them. @throws UsageError */
async function write(file: string, text: string): Promise<void> {
  await writeFile(file, text, { mode: 0o600 }).catch((error: unknown) => {
    throw new UsageError(`${file} cannot be written: ${error instanceof Error ? error.message : error}`);
  });
}

/** The progress of a long run, on stderr: redrawn on a terminal, otherwise a line every ten seconds. */
class Progress {
  readonly #terminal: Terminal;
  readonly #quiet: boolean;
  #shownAt = performance.now();

  constructor(terminal: Terminal, quiet: boolean) {
    this.#terminal = terminal;
    this.#quiet = quiet;
  }

  show(done: number, all: number): void {
    if (this.#quiet || all === 1) return;
    if (canDraw(this.#terminal)) return void this.#terminal.stderr.write(`\r\u001b[2Krehearsed ${done} of ${all}`);
    if (performance.now() - this.#shownAt < 10_000) return;
    this.#shownAt = performance.now();
    this.#terminal.stderr.write(`rehearsed ${done} of ${all}\n`);
  }

  end(): void {
    if (!this.#quiet && canDraw(this.#terminal)) this.#terminal.stderr.write('\r\u001b[2K');
  }
}
