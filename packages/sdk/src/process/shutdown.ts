import { reasonOf } from '../errors/base.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { keepingProcessAlive, within } from '../timing/timers.ts';
import type { ExitReport, Transport, TransportSignal } from './transport.ts';

/** One step: the signal to send, if any, and how long the process then has to exit. */
export interface EndStep {
  readonly send?: TransportSignal;
  readonly waitMs: number;
}

/** How long a killed process may take to exit, and destroyed pipes to close. Both are immediate unless the kernel hangs. */
const KILL_WAIT_MS = 2_000;
const CLOSE_WAIT_MS = 1_000;

/** For a query that must end now. SIGINT comes first: the CLI then stops its tools and writes its transcript. */
export function oneShotLadder(limits: Limits): readonly EndStep[] {
  return [
    { send: 'interrupt', waitMs: limits.interruptMs },
    { send: 'terminate', waitMs: limits.termMs },
    { send: 'kill', waitMs: KILL_WAIT_MS },
  ];
}

/** For a query that is done and should exit without a signal. */
export function leaveLadder(limits: Limits): readonly EndStep[] {
  return [{ waitMs: limits.graceMs }, ...oneShotLadder(limits)];
}

/** For a session that was already told to end: it has `graceMs` to do so. SIGTERM then goes to the whole group. */
export function sessionLadder(limits: Limits, graceMs: number): readonly EndStep[] {
  return [{ waitMs: graceMs }, { send: 'terminate', waitMs: limits.termMs }, { send: 'kill', waitMs: KILL_WAIT_MS }];
}

/**
 * Ends the process: takes the steps in order until it is gone, then closes its pipes, read or not. Never rejects; every
 * wait is bounded. `unref` lets the host exit before the last step; the exit hook then kills the process.
 */
export function endProcess(transport: Transport, steps: readonly EndStep[], unref = false): Promise<ExitReport> {
  const report = climb(transport, steps).catch(contractBroken);
  // The timers of the steps never keep the host alive.
  if (!unref) return keepingProcessAlive(report);
  transport.unref?.();
  return report;
}

async function climb(transport: Transport, steps: readonly EndStep[]): Promise<ExitReport> {
  let sent: ExitReport['ended'] = 'by-itself';
  // Its children must be recorded before it is told to exit.
  if (steps[0]?.send === undefined) transport.ending?.();
  let report = await Promise.race([transport.exited, undefined]);
  for (const { send, waitMs } of steps) {
    if (report !== undefined) break;
    if (send !== undefined) {
      transport.signal(send);
      sent = ENDED_BY[send];
    }
    report = await within(waitMs, transport.exited, { unref: true });
  }
  report ??= { exitCode: null, signal: null, ended: sent, error: stillRunning(transport) };
  if (transport.destroy) await within(CLOSE_WAIT_MS, transport.destroy(), { unref: true });
  return { ...report, ended: strongest(report.ended, sent) };
}

export const ENDED_BY: Readonly<Record<TransportSignal, ExitReport['ended']>> = {
  interrupt: 'interrupted',
  terminate: 'terminated',
  kill: 'killed',
};

export function strongest(a: ExitReport['ended'], b: ExitReport['ended']): ExitReport['ended'] {
  return STRENGTH.indexOf(a) < STRENGTH.indexOf(b) ? b : a;
}

/** The ways to end, the weakest first. */
export const STRENGTH: readonly ExitReport['ended'][] = ['by-itself', 'interrupted', 'terminated', 'killed'];

/** For a transport that breaks its contract by throwing or rejecting. */
function contractBroken(error: unknown): ExitReport {
  const failure = new TransportError(`The transport failed while the CLI was being ended: ${reasonOf(error)}.`, error);
  return { exitCode: null, signal: null, ended: 'by-itself', error: failure };
}

function stillRunning(transport: Transport): TransportError {
  return new TransportError(
    `The CLI (pid ${transport.pid ?? 'unknown'}) is still running ${KILL_WAIT_MS} ms after it was killed. Inspect it with ps: it may be stuck in the kernel.`,
  );
}
