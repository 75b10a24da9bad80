import { isCoxswainError } from '../../packages/sdk/src/index.ts';
import { probes } from './all-probes.ts';
import { openBench } from './bench.ts';
import { knownFlags } from './flags.ts';
import { no, type Probe, type Verdict } from './probe.ts';

/** The verdicts of one release on the features it was probed for. */
export interface ReleaseRun {
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** The features that the SDK refused, each with the release it names as needed. */
  readonly refusals: ReadonlyMap<string, string>;
  /** Lines of stdout that were not JSON, by feature. */
  readonly nonJson: ReadonlyMap<string, readonly string[]>;
}

/** How a release is run. */
export interface RunSettings {
  /** Only these features. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Disables the SDK's refusals: a search for minimum releases must not depend on the recorded ones. */
  readonly ungated?: boolean;
  /** Called after each probe. */
  readonly onProgress?: (done: number, of: number) => void;
}

/** Two CLIs at a time: more would only slow each other down on a small machine. */
const AT_ONCE = 2;
const PROBE_MS = 40_000;

/** Runs the probes on one release; a feature that cannot be proven is a `no` with the reason. */
export async function runRelease(cli: string, settings: RunSettings = {}): Promise<ReleaseRun> {
  const { only, ungated = false, onProgress = () => {} } = settings;
  const wanted = probes.filter(({ id }) => only === undefined || only.has(id));
  const verdicts = new Map<string, Verdict>();
  const refusals = new Map<string, string>();
  const nonJson = new Map<string, readonly string[]>();
  const wantsFlags = only === undefined || [...only].some((id) => id.startsWith('--'));
  const waiting = [...wanted];
  let done = 0;

  async function work(): Promise<void> {
    for (let probe = waiting.shift(); probe !== undefined; probe = waiting.shift()) {
      let outcome = await runProbe(cli, probe, ungated);
      // On a busy machine a probe may time out once; without the feature it times out every time.
      if (outcome.late) outcome = await runProbe(cli, probe, ungated);
      if (outcome.required !== undefined) refusals.set(probe.id, outcome.required);
      verdicts.set(probe.id, outcome.verdict);
      if (outcome.nonJson.length > 0) nonJson.set(probe.id, outcome.nonJson);
      onProgress(++done, wanted.length);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (wantsFlags) {
    const flags = await knownFlags(cli, (flag) => only === undefined || only.has(flag));
    for (const [flag, verdict] of flags) verdicts.set(flag, verdict);
  }
  return { verdicts, refusals, nonJson };
}

interface Outcome {
  readonly verdict: Verdict;
  readonly nonJson: readonly string[];
  readonly late: boolean;
  /** The release that the SDK requires. */
  readonly required?: string | undefined;
}

async function runProbe(cli: string, probe: Probe, ungated: boolean): Promise<Outcome> {
  await using bench = await openBench(cli, { ungated });
  const { promise: late, cancel } = timeout(PROBE_MS);
  try {
    const verdict = await Promise.race([probe.prove(bench), late]);
    return { verdict, nonJson: bench.nonJson, late: false };
  } catch (error) {
    const message = (error instanceof Error ? error.message : String(error)).replace(/\s+/g, ' ').slice(0, 300);
    const isLate = error instanceof LateError || isTimeout(error);
    return {
      verdict: no(clean(message, bench.home.root)),
      nonJson: bench.nonJson,
      late: isLate,
      required: requiredBy(error),
    };
  } finally {
    cancel();
  }
}

function isTimeout(error: unknown): boolean {
  return isCoxswainError(error) && /^(control|initialization)-timeout$/.test(error.code);
}

/** The release that an SDK error names as required. */
function requiredBy(error: unknown): string | undefined {
  if (!isCoxswainError(error)) return undefined;
  return 'required' in error ? error.required : undefined;
}

/** Removes the parts that differ in each run. */
function clean(message: string, root: string): string {
  return message.replaceAll(root, '<home>').replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
}

class LateError extends Error {}

function timeout(ms: number): { promise: Promise<never>; cancel: () => void } {
  let cancel = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => reject(new LateError(`did not end within ${ms} ms`)), ms);
    cancel = () => clearTimeout(timer);
  });
  promise.catch(() => {
    // The race may already be decided.
  });
  return { promise, cancel };
}
