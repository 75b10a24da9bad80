import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FailedRehearsal, Rehearsal, Scenario, Stage } from '@coxswain/rehearsal';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import { canDraw, type Terminal } from '../terminal/terminal.ts';
import { agentOptions } from './agent-options.ts';
import { textReport } from './report.ts';
import { scenarioFiles } from './scenario-files.ts';

/** The flags of `cox rehearse`. */
export interface RehearseFlags {
  readonly agent?: string;
  readonly against?: string;
  readonly cli?: string;
  readonly againstCli?: string;
  readonly workspace?: string;
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
  const files = await scenarioFiles(paths, { since: flags.since, limit: flags.limit });
  const { scenarios, unreadable, paths: read } = await readAll(files, kit.readScenarios);
  if (flags.keep !== undefined) return keep(scenarios, flags.keep, terminal);
  const stage = await stageOf(flags.agent, flags.cli, flags.workspace);
  const comparesStages = flags.against !== undefined || flags.againstCli !== undefined;
  const against = comparesStages
    ? await stageOf(flags.against ?? flags.agent, flags.againstCli ?? flags.cli, flags.workspace)
    : undefined;
  const progress = new Progress(terminal, flags.quiet === true);
  const rehearsed = await kit.rehearseAll(scenarios, stage, {
    against,
    concurrency: flags.jobs,
    onDivergence: flags.onDivergence,
    onProgress: (done, all) => progress.show(done, all),
  });
  progress.end();
  if (flags.update) return update(scenarios, rehearsed, read, terminal);
  const results = [...rehearsed, ...unreadable];
  await print(results, flags, terminal);
  const ran = results.filter((result): result is Rehearsal => 'after' in result);
  if (ran.length < results.length) return EXIT.usage;
  return ran.some(({ differences }) => differences.length > 0) ? EXIT.failed : EXIT.ok;
}

async function stageOf(
  agent: string | undefined,
  cli: string | undefined,
  workspace: string | undefined,
): Promise<Stage> {
  const name = [agent, cli].filter((part) => part !== undefined).join(', ') || 'the CLI alone';
  return { name, agent: agent === undefined ? undefined : await agentOptions(agent), cli, workspace };
}

async function readAll(
  files: readonly string[],
  read: (path: string) => Promise<readonly Scenario[]>,
): Promise<{
  readonly scenarios: readonly Scenario[];
  readonly paths: readonly string[];
  readonly unreadable: readonly FailedRehearsal[];
}> {
  const scenarios: Scenario[] = [];
  const paths: string[] = [];
  const unreadable: FailedRehearsal[] = [];
  for (const file of files) {
    try {
      for (const scenario of await read(file)) {
        scenarios.push(scenario);
        paths.push(file);
      }
    } catch (error) {
      unreadable.push({ scenario: file, failure: error instanceof Error ? error.message : String(error) });
    }
  }
  return { scenarios, paths, unreadable };
}

/** Writes the conversations as scenarios, which a repository can keep. */
async function keep(scenarios: readonly Scenario[], folder: string, terminal: Terminal): Promise<ExitCode> {
  const { writeScenario } = await import('@coxswain/rehearsal');
  await mkdir(folder, { recursive: true });
  for (const scenario of scenarios) {
    const file = join(folder, `${scenario.name.replace(/\.jsonl?$/, '').replace(/[^\w.-]/g, '-')}.json`);
    await writeScenario(file, scenario);
    terminal.stdout.write(`${file}\n`);
  }
  terminal.stderr.write('They contain the whole conversation: read them before you commit them.\n');
  return EXIT.ok;
}

/** Writes today's decisions into kept scenarios, for an intended change. Transcripts are never changed. */
async function update(
  scenarios: readonly Scenario[],
  results: readonly (Rehearsal | FailedRehearsal)[],
  paths: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  const { acceptDecisions, writeScenario } = await import('@coxswain/rehearsal');
  let failed = false;
  for (const [index, result] of results.entries()) {
    const [scenario, path] = [scenarios[index], paths[index]];
    if (scenario === undefined || path === undefined) continue;
    if (!('after' in result) || !path.endsWith('.json')) {
      failed = true;
      const reason = 'after' in result ? 'only scenarios (.json) are updated' : result.failure;
      terminal.stderr.write(`${path}: ${reason}\n`);
    } else if (result.differences.length > 0) {
      await writeScenario(path, acceptDecisions(scenario, result.after));
      terminal.stdout.write(`${path}\n`);
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
