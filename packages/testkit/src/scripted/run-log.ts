import { appendFileSync, closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { RunEntry } from './interpreter/effects.ts';
import type { LaunchFile } from './launch-file.ts';

/** One line of a run's log. */
export type LogLine =
  | RunEntry
  | { readonly kind: 'start'; readonly start: RunStart }
  | { readonly kind: 'exit'; readonly code: number | null; readonly signal: string | null };

/** The start of a run. */
export interface RunStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly pid: number;
  /** The names of its environment variables. */
  readonly envNames: readonly string[];
  /** Their values, if the scripted CLI records them. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** Logs a run to a separate file line by line, so that a killed run also leaves its log. */
export class RunLog {
  /** The number of this run, counted from 1. */
  readonly run: number;
  readonly #file: string;

  constructor(
    launch: LaunchFile,
    started: { argv: readonly string[]; cwd: string; pid: number; env: NodeJS.ProcessEnv },
  ) {
    const { env, ...rest } = started;
    [this.run, this.#file] = nextFile(launch.runs);
    const start = { ...rest, envNames: Object.keys(env), ...(launch.recordEnv && { env }) };
    this.add({ kind: 'start', start });
  }

  add(line: LogLine): void {
    try {
      appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
    } catch {
      // The test has ended and removed the directory; continue without a log.
    }
  }
}

/** Reserves the first free number; concurrent runs get different numbers. */
function nextFile(directory: string): [run: number, file: string] {
  for (let run = 1; ; run += 1) {
    const file = join(directory, `${String(run).padStart(6, '0')}.ndjson`);
    try {
      closeSync(openSync(file, 'wx'));
      return [run, file];
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) return [run, file];
    }
  }
}
