import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentOptions, Logger } from '../../src/options/option-types.ts';
import type { Session } from '../../src/session/session.ts';
import { commandLineOf } from '../support/processes.ts';
import { type Driven, driveQuery, driveSession } from './drive.ts';
import { cliOf, type Place } from './faulty-cli.ts';
import { expectNoSecret, MARK, watchHost } from './promises.ts';
import { type Expected, type Scenario, SECRETS } from './scenario.ts';

/** Defines a test for each scenario and entry: its exact outcome, and the invariants of every run. */
export function battery(group: string, scenarios: readonly Scenario[], place: Place = 'process'): void {
  describe(`fault: ${group}`, () => {
    for (const scenario of scenarios) {
      for (const entry of ['query', 'session'] as const) {
        const expected = scenario[entry];
        if (expected === undefined) continue;
        const title = `[${scenario.proves.join(', ')}] ${scenario.id} (${entry}): ${scenario.what}: ${inWords(expected)}`;
        it(title, { timeout: 20_000 }, () => play(scenario, entry, expected, place));
      }
    }
  });
}

async function play(scenario: Scenario, entry: 'query' | 'session', expected: Expected, usual: Place): Promise<void> {
  await using cli = await cliOf(scenario, scenario.place ?? usual);
  const mark = randomUUID();
  const folder = ownTemporaryFolder();
  const shown: unknown[] = [];
  const warnings: string[] = [];
  const notes: string[] = [];
  let session: Session | undefined;
  const world = {
    notes,
    session(): Session {
      if (session === undefined) throw new Error('A query has no session');
      return session;
    },
  };
  const own = typeof scenario.options === 'function' ? scenario.options(world) : (scenario.options ?? {});
  const options: AgentOptions = {
    ...cli.options,
    versionCheck: 'off',
    apiKey: SECRETS.apiKey,
    settings: { env: { MY_TOKEN: SECRETS.setting } },
    logger: loggerTo(shown),
    ...own,
    onEvent: (event) => {
      shown.push(event);
      if (event.type === 'started' && event.pid !== null) shown.push(commandLineOf(event.pid));
      return own.onEvent?.(event);
    },
    onWarning: (warning) => {
      warnings.push(warning.code);
      shown.push(warning);
      return own.onWarning?.(warning);
    },
    onStderr: (line) => {
      shown.push(line);
      return own.onStderr?.(line);
    },
    mcpServers: {
      remote: { type: 'http', url: 'http://127.0.0.1:9/', headers: { Authorization: SECRETS.header } },
      ...own.mcpServers,
    },
    env: { DB_PASSWORD: SECRETS.password, ...cli.options.env, ...own.env, [MARK]: mark },
  };
  const prompt = scenario.prompt ?? 'go';

  const opened = (fresh: Session): Promise<void> | undefined => {
    session = fresh;
    return scenario.during?.(fresh, notes);
  };
  const host = watchHost();
  const driven =
    entry === 'query'
      ? await driveQuery(prompt, options)
      : await driveSession(prompt, options, opened, (expected.state ?? 'running') === 'running');

  expect(story(driven, warnings, notes)).toEqual(expectedStory(expected, entry));
  if (expected.text !== undefined) expect(driven.text).toBe(expected.text);
  if (expected.messages) expect(driven.messages).toEqual(expected.messages);
  if (expected.error) expect(driven.error).toMatchObject(expected.error);
  if (expected.exit) expect(driven.exit).toMatchObject(expected.exit);
  expect(driven.ms).toBeLessThan(expected.withinMs ?? DEFAULT_MS);
  await host.check(mark, folder);
  const runs = (await cli.runs?.()) ?? [];
  if (expected.got === false) expect(runs).toEqual([]);
  else if (expected.got) expected.got(runs[0] ?? { argv: [], prompts: [], frames: [], tools: [] });
  // The CLI does not receive internal details either.
  const answers = runs.flatMap(({ frames }) => frames.filter(({ type }) => type === 'control_response'));
  expectNoSecret([...shown, String(driven.error), driven.error, answers]);
}

/** Generous for a busy machine; a hanging run takes longer. */
const DEFAULT_MS = 8_000;

/** A temporary folder for the files of the run. */
function ownTemporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-fault-'));
  const earlier = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  onTestFinished(() => {
    if (earlier === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = earlier;
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

function loggerTo(shown: unknown[]): Logger {
  const note = (...line: unknown[]): void => void shown.push(line);
  return { trace: note, debug: note, info: note, warn: note, error: note };
}

function story(driven: Driven, warnings: readonly string[], notes: readonly string[]): object {
  const { outcome, errors, state, again } = driven;
  return { outcome, warnings, errors, notes, state, again };
}

function expectedStory(expected: Expected, entry: 'query' | 'session'): object {
  const { outcome, warnings = [], errors = [], notes = [], state = 'running' } = expected;
  return {
    outcome,
    warnings: spelledOut(warnings),
    errors: spelledOut(errors),
    notes,
    state: entry === 'session' ? state : undefined,
    again: entry === 'session' && state === 'running' ? 'still here' : undefined,
  };
}

function spelledOut(codes: readonly (string | number)[]): string[] {
  const all: string[] = [];
  for (const code of codes) {
    if (typeof code === 'string') all.push(code);
    else all.push(...Array<string>(code - 1).fill(all.at(-1) ?? ''));
  }
  return all;
}

function inWords({ outcome, warnings = [], errors = [], state }: Expected): string {
  const codes = [...errors, ...warnings].filter((code) => typeof code === 'string');
  return [outcome, ...codes, ...(state ? [`session ${state}`] : [])].join(', ');
}
