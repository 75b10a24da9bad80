import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FLAG } from '@coxswain/shared/option-kinds';
import { checkOptions } from '../check-options.ts';
import { directoryPrefix, sweepStaleDirectories } from '../stale-directories.ts';
import type { LaunchFile } from './launch-file.ts';
import type { LogLine } from './run-log.ts';
import { runOf, type ScriptedRun } from './runs.ts';
import { checkScript, type Script } from './script.ts';

/** Options of a scripted CLI. */
export interface ScriptedCliOptions {
  /** Keep the values of each run's environment, not only their names. They may be secret. */
  readonly recordEnv?: boolean;
}

/** A scripted agent as an executable file: pass its `path` where the path of the real CLI would go. */
export interface ScriptedCli extends AsyncDisposable {
  readonly path: string;
  /** What each run so far was started with and what it received, oldest first; version probes are left out. */
  runs(): Promise<readonly ScriptedRun[]>;
}

/**
 * Makes an executable that plays a script. Dispose of it to remove its files; running processes are not ended. If a test
 * process dies before that, a later one removes what it left.
 * @throws OptionsError for options that do not exist
 */
export async function scriptedCli(script: Script, options: ScriptedCliOptions = {}): Promise<ScriptedCli> {
  checkScript('scriptedCli(script)', script);
  checkOptions('scriptedCli()', options, { recordEnv: FLAG });
  const directory = await mkdtemp(join(tmpdir(), directoryPrefix('scripted')));
  void sweepStaleDirectories(tmpdir());
  const path = join(directory, 'claude.mjs');
  const runs = join(directory, 'runs');
  const sessions = join(directory, 'sessions');
  const launch: LaunchFile = { script: script.toJSON(), runs, sessions, recordEnv: options.recordEnv ?? false };
  await mkdir(runs);
  await writeFile(join(directory, 'script.json'), JSON.stringify(launch), { mode: 0o600 });
  await writeFile(path, await program(), { mode: 0o700 });
  return {
    path,
    runs: () => readRuns(runs),
    // A process that still runs may write to its log meanwhile.
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }),
  };
}

/** The built executable, started by the Node that runs the test, independent of the child's PATH. */
async function program(): Promise<string> {
  const source = await readFile(builtProgram(), 'utf8');
  const shebang = /^\/\S{1,120}$/.test(process.execPath) ? `#!${process.execPath}` : '#!/usr/bin/env node';
  return source.replace(/^#!.*/, shebang);
}

/** Beside this module in a build, in the build folder when run from source. */
function builtProgram(): string {
  const places = ['./scripted-cli.mjs', '../../dist/scripted-cli.mjs'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  const found = places.find((place) => existsSync(place));
  if (found === undefined)
    throw new Error(`The scripted CLI is not built: no ${places.join(' and no ')}. Run npm run build.`);
  return found;
}

async function readRuns(directory: string): Promise<readonly ScriptedRun[]> {
  const files = (await readdir(directory)).sort();
  return Promise.all(files.map(async (file) => runOf(logOf(await readFile(join(directory, file), 'utf8')))));
}

/** An unfinished line has no line feed, and is left for the next read. */
function logOf(text: string): LogLine[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
