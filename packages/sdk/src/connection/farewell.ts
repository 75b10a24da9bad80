import { steadyNow } from '../clock.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { Limits } from '../limits.ts';
import type { Transport } from '../process/transport.ts';
import { within } from '../timing/timers.ts';

/** The parts of a connection that shutdown requests use. */
export interface Farewell {
  readonly limits: Pick<Limits, 'graceMs'>;
  readonly transport: Pick<Transport, 'exited' | 'ending'>;
  readonly requests: { send(subtype: string, payload: object, options: RequestOptions): Promise<unknown> };
  readonly inbound: { readonly open: number };
  readonly work: { readonly quiet: boolean; idle(): Promise<void> } | undefined;
  endInput(): Promise<void>;
}

/** Time the CLI has to answer each shutdown request. */
const ANSWER_MS = 1_000;

/**
 * Asks the CLI to exit, for at most `graceMs` in all, and returns how much of that is left. `end_session` comes first: EOF first
 * makes 2.1.197 run a tool whose guard can no longer be asked. stdin is closed only when no turn runs and no request of the CLI
 * is open. Never rejects.
 */
export async function askToExit(farewell: Farewell): Promise<number> {
  const began = steadyNow();
  const leftMs = (): number => Math.max(0, farewell.limits.graceMs - (steadyNow() - began));
  // A transport that breaks its contract must not keep the process from being ended.
  await ask(farewell, leftMs).catch(() => {});
  return leftMs();
}

async function ask({ transport, requests, work, inbound, endInput }: Farewell, leftMs: () => number): Promise<void> {
  // The child processes of the CLI must be recorded before it exits.
  transport.ending?.();
  const exited = transport.exited.then(() => true);
  const stepMs = (): number => Math.min(ANSWER_MS, leftMs());
  const request = async (subtype: string): Promise<boolean> => {
    const timeoutMs = stepMs();
    const answered = requests.send(subtype, {}, { timeoutMs }).then(
      () => true,
      () => false,
    );
    // Progress that the CLI reports does not extend the time.
    return (await within(timeoutMs, Promise.race([answered, exited]))) ?? false;
  };
  if (await request('end_session')) {
    if (await within(stepMs(), exited)) return;
  } else {
    const stopped = Promise.all([request('interrupt'), work?.idle()]);
    await within(stepMs(), Promise.race([stopped, exited]));
  }
  if (leftMs() === 0 || inbound.open > 0 || work?.quiet === false) return;
  const closed = endInput().catch(() => {});
  await within(stepMs(), Promise.race([closed, exited]));
}
