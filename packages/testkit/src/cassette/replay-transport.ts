import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { SpawnError, TransportError } from 'coxswain/errors';
import type { ExitReport, StartRequest, Transport, TransportSignal } from 'coxswain/transport';
import type { JsonObject } from '../json.ts';
import { MemoryPipe } from '../scripted/memory-pipe.ts';
import type { CassetteError } from './cassette-error.ts';
import { compare } from './compare.ts';
import { Expectations, type Matching, type Misfit } from './expectations.ts';
import type { PlacedEntry, RecordedRun } from './format.ts';
import type { IdMap } from './id-map.ts';
import { argvMismatch, inputEnded, mismatch, stalled, uncomparable } from './mismatch.ts';
import { Sanitiser } from './sanitiser.ts';

/** The resolved options of a replay. */
export interface ReplayTerms {
  readonly file: string;
  readonly match: Matching;
  readonly timing: 'none' | 'recorded';
  readonly waitMs: number;
  readonly normalise: (frame: JsonObject) => unknown;
}

/** Plays one recorded run: emits what the CLI wrote, as soon as the host has done what the recorded host had done by then. */
export class ReplayTransport implements Transport {
  readonly output: MemoryPipe = new MemoryPipe();
  readonly errorOutput: MemoryPipe = new MemoryPipe();
  readonly exited: Promise<ExitReport>;
  readonly pid: undefined;
  readonly #terms: ReplayTerms;
  readonly #nextRun: () => Promise<RecordedRun>;
  #resolveExited: (report: ExitReport) => void = () => {};
  #state: 'new' | 'started' | 'running' | 'exited' = 'new';
  #entries: readonly PlacedEntry[] = [];
  #position = 0;
  #expectations: Expectations | undefined;
  #sanitiser: Sanitiser | undefined;
  #inputEnded = false;
  #signals: TransportSignal[] = [];
  #ended: ExitReport['ended'] = 'by-itself';
  #failure: CassetteError | undefined;
  #wake: () => void = () => {};
  #timer: NodeJS.Timeout | undefined;
  #leaving: NodeJS.Timeout | undefined;
  /** A real process would keep the host alive. */
  #hold: NodeJS.Timeout | undefined;

  constructor(terms: ReplayTerms, nextRun: () => Promise<RecordedRun>) {
    this.#terms = terms;
    this.#nextRun = nextRun;
    this.exited = new Promise((resolve) => {
      this.#resolveExited = resolve;
    });
  }

  async start(request: StartRequest): Promise<void> {
    if (this.#state !== 'new') {
      const path = request.argv[0] ?? '';
      throw new SpawnError('A transport plays one run. Create a new one for each run.', { reason: 'other', path });
    }
    this.#state = 'started';
    try {
      this.#load(await this.#nextRun(), request);
    } catch (error) {
      const reason = error instanceof Error ? error : new Error(String(error));
      this.#exit({ ...NO_EXIT, error: reason });
      throw error;
    }
    this.#state = 'running';
    this.#hold = setInterval(() => {}, 2 ** 30);
    this.#play().catch((error: CassetteError) => this.#fail(error));
  }

  async write(text: string): Promise<void> {
    if (this.#failure) throw this.#failure;
    if (this.#state !== 'running' || this.#inputEnded) throw new TransportError(this.#whyClosed());
    const misfit = this.#take(this.#sanitiser?.written(text) ?? text);
    if (misfit) throw this.#fail(mismatch(this.#terms.file, misfit, this.#entries.at(-1)?.line ?? 1));
    this.#wake();
  }

  async endInput(): Promise<void> {
    this.#inputEnded = true;
    this.#wake();
  }

  /** A recorded signal continues the recording; any other signal ends the run. */
  signal(signal: TransportSignal): void {
    if (this.#state !== 'running') return;
    this.#ended = ENDED_BY[signal];
    if (signal === 'kill' || this.#failure || !this.#leadsTo(signal)) {
      return this.#exit({ exitCode: null, signal: SIGNALS[signal], ended: this.#ended });
    }
    this.#signals.push(signal);
    this.#wake();
  }

  unref(): void {
    this.#hold?.unref();
  }

  async destroy(): Promise<void> {
    await Promise.all([this.output.return(), this.errorOutput.return()]);
  }

  get started(): boolean {
    return this.#state !== 'new';
  }

  /** What has not been played yet. */
  unplayed(): readonly string[] {
    if (this.#state === 'new') return [];
    return this.#entries
      .slice(this.#position)
      .map((entry) => `${this.#terms.file}:${entry.line}: ${this.#awaited(entry)}`);
  }

  #load({ header, headerLine, entries }: RecordedRun, request: StartRequest): void {
    const { match, normalise, file } = this.#terms;
    this.#entries = entries;
    const expectations = new Expectations(entries, { match, normalise });
    this.#expectations = expectations;
    this.#sanitiser = new Sanitiser(request);
    const argv = this.#sanitiser.argv(request);
    bindSessionIds(header.argv, argv, expectations.ids);
    const differences = compare(header.argv.slice(1), argv.slice(1), expectations.ids);
    if (match === 'strict' && differences.length > 0) throw argvMismatch(file, headerLine, header.argv, differences);
  }

  #take(text: string): Misfit | undefined {
    try {
      return this.#expectations?.take(text);
    } catch (error) {
      throw this.#fail(uncomparable(this.#terms.file, error));
    }
  }

  async #play(): Promise<void> {
    let lastAt = 0;
    for (const entry of this.#entries) {
      if (this.#terms.timing === 'recorded' && isCli(entry)) await this.#pause(entry.at - lastAt);
      lastAt = entry.at;
      if (this.#state === 'exited' || this.#failure) return;
      if (entry.dir === 'out') await this.output.write(this.#bytesOf(entry));
      else if (entry.dir === 'err') void this.errorOutput.write(this.#bytesOf(entry));
      else if (entry.dir === 'exit') {
        const { exitCode, signal, ended } = entry;
        this.#exit({ exitCode, signal, ended: this.#ended === 'by-itself' ? ended : this.#ended });
      } else await this.#untilDone(entry);
      if (!this.#failure && this.#state === 'running') this.#position++;
    }
    this.#position = this.#entries.length;
  }

  #bytesOf(entry: Extract<PlacedEntry, { dir: 'out' | 'err' }>): Uint8Array {
    const lineEnd = entry.open ? '' : '\n';
    if ('base64' in entry) return Buffer.concat([Buffer.from(entry.base64, 'base64'), Buffer.from(lineEnd)]);
    const text = 'frame' in entry ? JSON.stringify(entry.frame) : entry.text;
    const shown = this.#sanitiser?.places.show(text, 'frame' in entry || text.startsWith('{')) ?? text;
    return Buffer.from((this.#expectations?.ids.toLive(shown) ?? shown) + lineEnd);
  }

  /** Waits until the host has done what it did at this point. The time limit does not run while the host has unread output. */
  async #untilDone(entry: PlacedEntry): Promise<void> {
    const { waitMs, file } = this.#terms;
    while (this.#state === 'running' && !this.#failure && !this.#isDone(entry)) {
      if (this.#inputEnded && entry.dir === 'in') {
        throw inputEnded(file, entry.line, this.#awaited(entry));
      }
      const inTime = await this.#untilWoken(entry.dir === 'signal' ? undefined : waitMs);
      if (!inTime && this.output.buffered === 0) throw stalled(file, entry.line, this.#awaited(entry), waitMs);
    }
  }

  #isDone(entry: PlacedEntry): boolean {
    if (entry.dir === 'in') return this.#expectations?.isMet(entry) === true;
    if (entry.dir === 'in-end') return this.#inputEnded;
    if (entry.dir !== 'signal') return true;
    const index = this.#signals.indexOf(entry.signal);
    if (index === -1) return false;
    this.#signals.splice(index, 1);
    return true;
  }

  /** Whether the recording reaches this signal without any other action of the host. */
  #leadsTo(signal: TransportSignal): boolean {
    const ahead = this.#entries.slice(this.#position);
    const index = ahead.findIndex((entry) => entry.dir === 'signal' && entry.signal === signal);
    const before = ahead.slice(0, Math.max(0, index));
    return index !== -1 && before.every((entry) => isCli(entry) || (entry.dir !== 'signal' && this.#isDone(entry)));
  }

  #awaited(entry: PlacedEntry): string {
    if (entry.dir === 'in-end') return 'closed its input';
    if (entry.dir === 'signal') return `sent the signal ${entry.signal}`;
    if (entry.dir !== 'in') return `(${entry.dir}) of the CLI`;
    const written = 'frame' in entry ? entry : { text: 'text' in entry ? entry.text : '' };
    return `written ${this.#expectations?.describe(written) ?? 'something'}`;
  }

  /** False when nothing happened in time. */
  #untilWoken(ms: number | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      this.#wake = () => {
        clearTimeout(this.#timer);
        resolve(true);
      };
      // The hold keeps the host alive.
      if (ms !== undefined && ms <= LONGEST_TIMER_MS) this.#timer = setTimeout(() => resolve(false), ms).unref();
    });
  }

  async #pause(ms: number): Promise<void> {
    const until = performance.now() + ms;
    while (this.#state === 'running' && !this.#failure && performance.now() < until)
      await this.#untilWoken(until - performance.now());
  }

  /** The process lingers for a moment: if it had exited at once, the host would report the exit instead of the failure. */
  #fail(error: CassetteError): CassetteError {
    if (this.#failure) return this.#failure;
    this.#failure = error;
    this.output.fail(error);
    this.#wake();
    this.#leaving = setTimeout(() => this.#exit({ ...NO_EXIT, ended: this.#ended, error }), FAILED_EXIT_MS).unref();
    return error;
  }

  #exit(report: ExitReport): void {
    if (this.#state === 'exited') return;
    this.#state = 'exited';
    clearInterval(this.#hold);
    clearTimeout(this.#timer);
    clearTimeout(this.#leaving);
    this.output.end();
    this.errorOutput.end();
    this.#wake();
    this.#resolveExited(report);
  }

  #whyClosed(): string {
    if (this.#state === 'new') return 'The CLI was not started; call start() first.';
    if (this.#state === 'exited') return 'The recorded CLI has exited; nothing can be written to it.';
    return "The CLI's stdin was closed with endInput(); nothing can be written to it.";
  }
}

/** Longer than the SDK waits for the exit after the end of the output. */
const FAILED_EXIT_MS = 1_000;

const NO_EXIT: ExitReport = { exitCode: null, signal: null, ended: 'by-itself' };

const ENDED_BY: Readonly<Record<TransportSignal, ExitReport['ended']>> = {
  interrupt: 'interrupted',
  terminate: 'terminated',
  kill: 'killed',
};

const SIGNALS: Readonly<Record<TransportSignal, string>> = {
  interrupt: 'SIGINT',
  terminate: 'SIGTERM',
  kill: 'SIGKILL',
};

/** Differing arguments may be in other positions, and the session's id must be known all the same. */
function bindSessionIds(recorded: readonly string[], live: readonly string[], ids: IdMap): void {
  for (const flag of ['--session-id', '--resume']) {
    const [before, now] = [recorded, live].map((argv) => argv[argv.indexOf(flag) + 1]);
    if (recorded.includes(flag) && live.includes(flag) && before && now) ids.bind(before, now);
  }
}

function isCli({ dir }: PlacedEntry): boolean {
  return dir === 'out' || dir === 'err' || dir === 'exit';
}
