import type { ExitReport, TransportSignal } from 'coxswain/transport';
import type { JsonObject } from '../json.ts';
import { CassetteError, type CassetteProblem } from './cassette-error.ts';
import { type Content, frameOf } from './content.ts';

/** The format this release writes and reads. */
export const CASSETTE_FORMAT = 1;

/** The first line of a run. */
export interface RunHeader {
  readonly coxswainCassette: number;
  /** Which run of the cassette it is, counted from 1. */
  readonly run: number;
  readonly cliVersion: string | null;
  readonly recordedAt: string;
  /** The command line, without secrets and machine-specific paths. */
  readonly argv: readonly string[];
  readonly mode: 'query' | 'session';
  /** Not a cassette yet: the recording is running, or was cut off. */
  readonly unfinished?: true;
}

/** One event of a run; `at` is in milliseconds since its start. */
export type CassetteEntry = { readonly at: number } & (
  | ({ readonly dir: 'in' } & Content)
  | { readonly dir: 'in-end' }
  /** A line of stdout or stderr; an `open` line came without its line feed. */
  | ({ readonly dir: 'out' | 'err'; readonly open?: true } & Content)
  | { readonly dir: 'signal'; readonly signal: TransportSignal }
  | ({ readonly dir: 'exit' } & Pick<ExitReport, 'exitCode' | 'signal' | 'ended'>)
);

/** An entry and its line number in the file. */
export type PlacedEntry = CassetteEntry & { readonly line: number };

export interface RecordedRun {
  readonly header: RunHeader;
  readonly headerLine: number;
  readonly entries: readonly PlacedEntry[];
}

/** One line of a cassette. */
export function encodeCassetteLine(line: RunHeader | CassetteEntry | Footer): string {
  return `${JSON.stringify(line)}\n`;
}

/** The last line: without it, something is missing. */
export interface Footer {
  readonly dir: 'end';
  readonly runs: number;
}

/** Reads a cassette. @throws CassetteError if it is damaged, cut off, or in another format */
export function decodeCassette(text: string, file: string): readonly RecordedRun[] {
  return new Reader(file).read(text);
}

interface OpenRun {
  readonly header: RunHeader;
  readonly headerLine: number;
  readonly entries: PlacedEntry[];
}

class Reader {
  readonly #file: string;
  readonly #runs: OpenRun[] = [];
  #ended = false;

  constructor(file: string) {
    this.#file = file;
  }

  read(text: string): readonly RecordedRun[] {
    const lines = text.split('\n');
    lines.forEach((line, index) => {
      if (line.trim() !== '') this.#line(line, index + 1);
    });
    if (this.#runs.length === 0) throw this.#error('corrupt', 1, 'it is empty');
    if (!this.#ended) throw this.#error('unfinished', lines.length, 'it ends before its last line: it was cut off');
    return this.#runs;
  }

  #line(text: string, line: number): void {
    const value = frameOf(text);
    if (value === undefined) throw this.#error('corrupt', line, 'this line is not a JSON object');
    if (this.#ended) throw this.#error('corrupt', line, 'something follows the last line');
    if ('coxswainCassette' in value) return this.#begin(value, line);
    const run = this.#runs.at(-1);
    if (run === undefined) throw this.#error('corrupt', line, 'the first line is not the header of a cassette');
    if (value.dir === 'end') return this.#end(value, line);
    if (hasEnded(run)) throw this.#error('corrupt', line, 'the run has ended before this line');
    if (!isEntry(value)) throw this.#error('corrupt', line, `this line is not an entry: ${text.slice(0, 80)}`);
    run.entries.push({ ...value, line });
  }

  #begin(value: JsonObject, line: number): void {
    const format = value.coxswainCassette;
    if (format !== CASSETTE_FORMAT) {
      const why = `its format is ${JSON.stringify(format)}, and this release of @coxswain/testkit reads ${CASSETTE_FORMAT}`;
      throw this.#error('version', line, why);
    }
    if (value.unfinished === true) throw this.#error('unfinished', line, 'the recording is incomplete');
    if (!isHeader(value)) throw this.#error('corrupt', line, 'the header lacks argv, mode or recordedAt');
    this.#checkLast(line);
    this.#runs.push({ header: value, headerLine: line, entries: [] });
  }

  #end(value: JsonObject, line: number): void {
    this.#checkLast(line);
    if (value.runs !== this.#runs.length) {
      throw this.#error(
        'corrupt',
        line,
        `it should contain ${String(value.runs)} runs, but contains ${this.#runs.length}`,
      );
    }
    this.#ended = true;
  }

  #checkLast(line: number): void {
    const last = this.#runs.at(-1);
    if (last && !hasEnded(last)) throw this.#error('unfinished', line, 'the run before this line has no end');
  }

  #error(problem: CassetteProblem, line: number, why: string): CassetteError {
    return new CassetteError(
      `${this.#file}:${line}: this cassette cannot be played: ${why}. Record it again with recording(${JSON.stringify(this.#file)}).`,
      { problem, file: this.#file, line },
    );
  }
}

function hasEnded(run: OpenRun): boolean {
  return run.entries.at(-1)?.dir === 'exit';
}

function isHeader(value: object): value is RunHeader {
  const { argv, mode, recordedAt } = value as Partial<RunHeader>;
  return (
    Array.isArray(argv) &&
    argv.every((token) => typeof token === 'string') &&
    (mode === 'query' || mode === 'session') &&
    typeof recordedAt === 'string'
  );
}

function isEntry(value: JsonObject): value is JsonObject & CassetteEntry {
  if (typeof value.at !== 'number') return false;
  switch (value.dir) {
    case 'in':
    case 'out':
    case 'err':
      return (
        typeof value.text === 'string' ||
        typeof value.base64 === 'string' ||
        (typeof value.frame === 'object' && value.frame !== null && !Array.isArray(value.frame))
      );
    case 'in-end':
      return true;
    case 'signal':
      return value.signal === 'interrupt' || value.signal === 'terminate' || value.signal === 'kill';
    case 'exit':
      return isNullOr('number', value.exitCode) && isNullOr('string', value.signal) && typeof value.ended === 'string';
    default:
      return false;
  }
}

function isNullOr(type: 'number' | 'string', value: unknown): boolean {
  return value === null || typeof value === type;
}
