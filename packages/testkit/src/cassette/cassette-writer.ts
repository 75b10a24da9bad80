import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CassetteError } from './cassette-error.ts';
import { CASSETTE_FORMAT, type CassetteEntry, encodeCassetteLine, type RunHeader } from './format.ts';

/** The data of a run that is known at its start. */
export type RunFacts = Pick<RunHeader, 'cliVersion' | 'argv' | 'mode'>;

/**
 * Writes the runs of one recording. Each run is written to a separate file, `<file>.<n>.partial`; whenever no run is open,
 * finished runs are joined into the cassette in the order of their start, with one rename. Writes are synchronous, so the
 * file contains everything up to a crash of the process.
 */
export class CassetteWriter {
  readonly #file: string;
  readonly #parts: RunPart[] = [];
  #begun = 0;
  #committed = 0;
  #waiters: (() => void)[] = [];
  #failure: CassetteError | undefined;

  constructor(file: string) {
    this.#file = file;
  }

  /** Starts a run. @throws CassetteError if its file cannot be written */
  begin(facts: RunFacts): RunPart {
    const path = `${this.#file}.${++this.#begun}.partial`;
    try {
      mkdirSync(dirname(this.#file), { recursive: true });
      const part = new RunPart(path, facts, {
        failed: (cause) => {
          this.#failure ??= this.#notWritten(cause);
          return this.#failure;
        },
        settled: () => this.#settle(),
      });
      this.#parts.push(part);
      return part;
    } catch (cause) {
      this.#failure ??= this.#notWritten(cause);
      throw this.#failure;
    }
  }

  /** Resolves when every run so far has ended and is in the cassette. @throws CassetteError, also if there is no run */
  async saved(): Promise<void> {
    // A run that was just started begins shortly after.
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#parts.some((part) => part.open)) {
      await new Promise<void>((resolve) => {
        this.#waiters.push(resolve);
      });
    }
    if (this.#failure) throw this.#failure;
    if (this.#committed === 0) throw this.#nothingRecorded();
  }

  #settle(): void {
    if (this.#parts.some((part) => part.open)) return;
    try {
      this.#commit(this.#parts.splice(0).filter((part) => part.kept));
    } catch (cause) {
      this.#failure ??= this.#notWritten(cause);
      process.emitWarning(this.#failure);
    }
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #commit(parts: readonly RunPart[]): void {
    if (parts.length === 0) return;
    const earlier = this.#committed === 0 ? '' : withoutLastLine(readFileSync(this.#file, 'utf8'));
    const runs = parts.map((part) => part.read(++this.#committed));
    const temporary = `${this.#file}.${process.pid}.tmp`;
    const footer = encodeCassetteLine({ dir: 'end', runs: this.#committed });
    try {
      writeFileSync(temporary, [earlier, ...runs, footer].join(''));
      renameSync(temporary, this.#file);
    } finally {
      rmSync(temporary, { force: true });
    }
    for (const part of parts) part.remove();
  }

  #nothingRecorded(): CassetteError {
    const why = this.#begun === 0 ? 'no run was started with it as its transport' : 'the CLI could not be started';
    const message = `The cassette ${this.#file} was not written: ${why}. Call saved() when the run is over.`;
    return new CassetteError(message, { problem: 'nothing-recorded', file: this.#file });
  }

  #notWritten(cause: unknown): CassetteError {
    if (cause instanceof CassetteError) return cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    return new CassetteError(
      `The cassette ${this.#file} could not be written: ${why}. Check the folder and the disk, and record again.`,
      { problem: 'not-written', file: this.#file, cause },
    );
  }
}

interface PartOwner {
  failed(cause: unknown): CassetteError;
  settled(): void;
}

/** A run that is being recorded. */
export class RunPart {
  readonly #path: string;
  readonly #owner: PartOwner;
  readonly #recordedAt = new Date().toISOString();
  readonly #startedAt = performance.now();
  readonly #descriptor: number;
  #facts: RunFacts;
  #failure: CassetteError | undefined;
  /** True while more entries may follow. */
  open = true;
  /** True if the run ended properly and belongs in the cassette. */
  kept = false;

  constructor(path: string, facts: RunFacts, owner: PartOwner) {
    this.#path = path;
    this.#facts = facts;
    this.#owner = owner;
    this.#descriptor = openSync(path, 'w');
    this.#append(encodeCassetteLine({ ...this.#header(0), unfinished: true }));
  }

  /** Sets the version, once the CLI reports it. */
  learn(cliVersion: string): void {
    this.#facts = { ...this.#facts, cliVersion };
  }

  get cliVersion(): string | null {
    return this.#facts.cliVersion;
  }

  /** Adds an event. @throws CassetteError if this or an earlier write fails */
  add(entry: Unstamped<CassetteEntry>): void {
    if (this.#failure) throw this.#failure;
    if (!this.open) return;
    try {
      this.#append(encodeCassetteLine({ at: Math.round(performance.now() - this.#startedAt), ...entry }));
    } catch (cause) {
      throw this.fail(cause);
    }
  }

  /** Ends the run and keeps it for the cassette. */
  keep(): void {
    this.kept = true;
    this.#close();
  }

  /** Drops a run that never started. */
  discard(): void {
    this.#close();
    this.remove();
  }

  /** Marks the run as failed; its partial file remains. */
  fail(cause: unknown): CassetteError {
    this.#failure ??= this.#owner.failed(cause);
    this.#close();
    return this.#failure;
  }

  /** Returns its lines, with the final header. */
  read(run: number): string {
    const lines = readFileSync(this.#path, 'utf8');
    return encodeCassetteLine(this.#header(run)) + lines.slice(lines.indexOf('\n') + 1);
  }

  remove(): void {
    rmSync(this.#path, { force: true });
  }

  #close(): void {
    if (!this.open) return;
    this.open = false;
    closeSync(this.#descriptor);
    this.#owner.settled();
  }

  #header(run: number): RunHeader {
    return { coxswainCassette: CASSETTE_FORMAT, run, recordedAt: this.#recordedAt, ...this.#facts };
  }

  #append(line: string): void {
    appendFileSync(this.#descriptor, line);
  }
}

/** An entry before its time is known. */
type Unstamped<T> = T extends unknown ? Omit<T, 'at'> : never;

function withoutLastLine(text: string): string {
  return text.slice(0, text.trimEnd().lastIndexOf('\n') + 1);
}
