import type { EndReasons } from './ending.ts';

/**
 * The phase of a run; it only moves forward.
 *
 * - `preparing`: the turn is claimed, the agent's functions run and its session opens. No prompt was sent.
 * - `sent`: the prompt is recorded as sent, and the agent works on it.
 * - `finished`: the agent has given its last result.
 * - `storing`: the agent's processes have exited; the turn is being committed or released.
 * - `over`: the turn no longer concerns this worker.
 */
export type RunPhase = AgentPhase | 'storing' | 'over';

/** A phase in which the agent's processes may run. A run goes on to `storing` or `over` from each of them. */
export type AgentPhase = 'preparing' | 'sent' | 'finished';

/** True while the agent has neither finished nor exited: what goes wrong now ends its turn. */
export function isUnfinished(phase: RunPhase): boolean {
  return phase === 'preparing' || phase === 'sent';
}

/** True if the agent's processes have exited, so that the end of the lease no longer stops the run. */
export function hasExited(phase: RunPhase): boolean {
  return phase === 'storing' || phase === 'over';
}

/** True if another worker decides about the turn, once the lease has expired. */
export function isAbandoned(reached: AgentPhase, { lost }: EndReasons): boolean {
  return lost === 'taken' || (lost === 'worker' && reached !== 'finished');
}

/** True if the turn goes back to the queue, as if no worker had claimed it: its prompt was not sent, and nothing decides its outcome. */
export function isReleased(reached: AgentPhase, reasons: EndReasons): boolean {
  const { draining, overQuota, lost, cancelledBy, fault } = reasons;
  const mustWait = draining === true || overQuota === true || lost === 'database';
  return mustWait && reached === 'preparing' && cancelledBy === undefined && fault === undefined;
}
