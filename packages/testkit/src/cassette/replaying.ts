import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { AMOUNT, CALLBACK, type KindsOf, NAME, oneOf } from '@coxswain/shared/option-kinds';
import type { Transport } from 'coxswain/transport';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { JsonObject } from '../json.ts';
import { CassetteError } from './cassette-error.ts';
import type { Matching } from './expectations.ts';
import { decodeCassette, type RecordedRun } from './format.ts';
import { ReplayTransport } from './replay-transport.ts';

/** Options of a replay. */
export interface ReplayOptions {
  /**
   * `'strict'` (default): the host must write what it wrote in the recording, apart from generated ids, times, folders of
   * the machine and redacted values. `'loose'`: only the kinds of its writes must match.
   */
  readonly match?: Matching | undefined;
  /** `'none'` (default) plays as fast as the host reads; `'recorded'` waits as long as the CLI took. */
  readonly timing?: 'none' | 'recorded' | undefined;
  /** How long the host may take for its next write. Default: 4 s, a little less than most test runners wait. */
  readonly waitMs?: number | undefined;
  /** Removes from a frame what may differ between runs; applied to each recorded and each live frame of the host. */
  readonly normalise?: ((frame: JsonObject) => unknown) | undefined;
}

/** Pass this as `transport`: each run that starts plays the next run of the cassette. */
export interface Replay {
  (): Transport;
  /**
   * What has not been played when the runs have ended, or after `waitMs`: `file:line` and its content. Empty when
   * everything was played.
   */
  unplayed(): Promise<readonly string[]>;
}

/**
 * Plays a cassette back; pass the result as `transport`. A run that differs from its recording fails with `CassetteError`.
 * @throws OptionsError for options that do not exist
 */
export function replaying(file: string, options: ReplayOptions = {}): Replay {
  checkArgument('replaying(file)', file, NAME);
  checkOptions('replaying()', options, KINDS);
  const cassette = new Cassette(file);
  const transports: ReplayTransport[] = [];
  const terms = {
    file,
    match: options.match ?? 'strict',
    timing: options.timing ?? 'none',
    waitMs: options.waitMs ?? 4_000,
    normalise: options.normalise ?? ((frame: JsonObject) => frame),
  };
  const make = (): Transport => {
    const transport = new ReplayTransport(terms, () => cassette.nextRun());
    transports.push(transport);
    return transport;
  };
  const unplayed = async (): Promise<readonly string[]> => {
    const runs = await cassette.unstarted();
    const started = transports.filter((transport) => transport.started);
    await endedWithin(terms.waitMs, started);
    return [
      ...transports.flatMap((transport) => transport.unplayed()),
      ...runs.map(({ header, headerLine }) => `${file}:${headerLine}: run ${header.run}`),
    ];
  };
  return Object.assign(make, { unplayed });
}

const KINDS: KindsOf<ReplayOptions> = {
  match: oneOf('strict', 'loose'),
  timing: oneOf('none', 'recorded'),
  waitMs: AMOUNT,
  normalise: CALLBACK,
};

/** A caller that has its answer need not wait for the CLI to exit, but then part of the recording is not played. */
async function endedWithin(ms: number, transports: readonly ReplayTransport[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(ms, LONGEST_TIMER_MS));
  });
  await Promise.race([Promise.all(transports.map(({ exited }) => exited)), late]);
  clearTimeout(timer);
}

/** A cassette file, read when its first run starts. */
class Cassette {
  readonly #file: string;
  #runs: Promise<readonly RecordedRun[]> | undefined;
  #started = 0;

  constructor(file: string) {
    this.#file = file;
  }

  async nextRun(): Promise<RecordedRun> {
    // Counted before the file is read: runs that start together keep their order.
    const index = this.#started++;
    const runs = await this.#read();
    const run = runs[index];
    if (run) return run;
    throw new CassetteError(
      `${this.#file} contains ${runs.length === 1 ? 'one run' : `${runs.length} runs`}, and this is run ${index + 1}. ` +
        'Each start of the CLI plays the next run: record enough runs, or create a new replaying().',
      { problem: 'no-more-runs', file: this.#file },
    );
  }

  async unstarted(): Promise<readonly RecordedRun[]> {
    return (await this.#read()).slice(this.#started);
  }

  #read(): Promise<readonly RecordedRun[]> {
    this.#runs ??= readCassette(this.#file);
    return this.#runs;
  }
}

/** Reads the runs of a cassette, for programs that show or check them. @throws CassetteError */
export async function readCassette(file: string): Promise<readonly RecordedRun[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw await unreadable(file, cause);
  }
  return decodeCassette(text, file);
}

async function unreadable(file: string, cause: unknown): Promise<CassetteError> {
  const again = `Record it with recording(${JSON.stringify(file)}).`;
  const siblings = await readdir(dirname(file)).catch(() => []);
  const partial = siblings.find((name) => name.startsWith(`${basename(file)}.`) && name.endsWith('.partial'));
  if (partial !== undefined) {
    const message = `There is no cassette ${file}, only ${partial} of an incomplete recording. ${again}`;
    return new CassetteError(message, { problem: 'unfinished', file, cause });
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CassetteError(`The cassette ${file} cannot be read: ${why}. ${again}`, {
    problem: 'missing',
    file,
    cause,
  });
}
