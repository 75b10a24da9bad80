import { reasonOf } from '../errors/base.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { keepingProcessAlive, within } from '../timing/timers.ts';
import type { ExitReport, Transport, TransportSignal } from './transport.ts';

/** One step of a shutdown: the signal to send, if any, and the time to exit afterwards. */
export interface EndStep {
  readonly send?: TransportSignal;
  readonly waitMs: number;
}

/** Time for a killed process to exit, and for destroyed pipes to close. Both are immediate unless the kernel hangs. */
const KILL_WAIT_MS = 2_000;
const CLOSE_WAIT_MS = 1_000;

/** Steps for a query that must end now. SIGINT is first: the CLI then stops its tools and writes its transcript. */
export function interruptSteps(limits: Limits): readonly EndStep[] {
  return [
    { send: 'interrupt', waitMs: limits.interruptMs },
    { send: 'terminate', waitMs: limits.termMs },
    { send: 'kill', waitMs: KILL_WAIT_MS },
  ];
}

/** Steps for a finished query that should exit without a signal. */
export function gracefulSteps(limits: Limits): readonly EndStep[] {
  return [{ waitMs: limits.graceMs }, ...interruptSteps(limits)];
}

/** Steps for a session that was asked to exit: it has `graceMs`. SIGTERM then goes to the whole group. */
export function sessionSteps(limits: Limits, graceMs: number): readonly EndStep[] {
  return [{ waitMs: graceMs }, { send: 'terminate', waitMs: limits.termMs }, { send: 'kill', waitMs: KILL_WAIT_MS }];
}

/** Steps for a process that must not do anything else. */
export const killSteps: readonly EndStep[] = [{ send: 'kill', waitMs: KILL_WAIT_MS }];

/**
 * Ends the process: takes the steps in order until it has exited, then closes its pipes, even if they are not read. Never
 * rejects; every wait has a limit. With `unref`, the host can exit before the last step, and the exit hook kills the process.
 */
export function endProcess(transport: Transport, steps: readonly EndStep[], unref = false): Promise<ExitReport> {
  const report = takeSteps(transport, steps).catch(contractBroken);
  // The timers of the steps do not keep the host alive.
  if (!unref) return keepingProcessAlive(report);
  transport.unref?.();
  return report;
}

async function takeSteps(transport: Transport, steps: readonly EndStep[]): Promise<ExitReport> {
  let sent: ExitReport['ended'] = 'by-itself';
  // Record its children before it is asked to exit.
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

/** The ways to end, weakest first. */
export const STRENGTH: readonly ExitReport['ended'][] = ['by-itself', 'interrupted', 'terminated', 'killed'];

/** The report for a transport that violates its contract by throwing or rejecting. */
function contractBroken(error: unknown): ExitReport {
  const failure = new TransportError(`The transport failed while the CLI was being ended: ${reasonOf(error)}.`, error);
  return { exitCode: null, signal: null, ended: 'by-itself', error: failure };
}

function stillRunning(transport: Transport): TransportError {
  return new TransportError(
    `The CLI (pid ${transport.pid ?? 'unknown'}) is still running ${KILL_WAIT_MS} ms after it was killed. Inspect it with ps: it may be stuck in the kernel.`,
  );
}
