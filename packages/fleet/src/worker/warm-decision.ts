import type { EndReasons } from './ending.ts';
import type { AgentPhase } from './run-phase.ts';

/** The facts about a run whose agent has ended. */
export interface RunEnd {
  readonly reached: AgentPhase;
  /** The outcome of its last result. */
  readonly outcome: string | undefined;
  readonly reasons: EndReasons;
  /** The turn was parked before, so its session was opened with the settings of the request. */
  readonly wasParked: boolean;
  /** The prompt is a command of the CLI, such as `/model`, which may change the process. */
  readonly isCommand: boolean;
  /** The agent's permission mode was changed during the turn. */
  readonly modeChanged: boolean;
  /** No turn runs, and no background task is open. */
  readonly isIdle: boolean;
  /** Its options have an effect that is bound to one process: a budget, hooks for its start and end, changes of permissions. */
  readonly isBound: boolean;
}

/** Why the process of a run must end before its turn is committed; undefined if it may stay for the next turn. */
export function endsBecause(end: RunEnd): string | undefined {
  if (end.reached !== 'finished' || end.outcome !== 'completed') return 'not-completed';
  if (Object.keys(end.reasons).length > 0) return 'ended-early';
  if (end.wasParked) return 'resumed';
  if (end.isCommand) return 'command';
  if (end.modeChanged) return 'permission-mode';
  if (!end.isIdle) return 'background-work';
  if (end.isBound) return 'options';
  return undefined;
}

/** What the database has recorded about a conversation before a claim, and what the claim is for. */
export interface ClaimedState {
  /** The epoch of the claim before this one. */
  readonly epoch: number;
  /** The token of the claim that committed the last turn and kept its process; null if anything happened since. */
  readonly warmClaim: string | null;
  readonly sessionId: string | null;
  readonly isParked: boolean;
}

/** A process that waits for the next turn of its conversation. */
export interface WarmState {
  /** Epoch and token of the claim that ran the last turn on it. */
  readonly epoch: number;
  readonly token: string;
  readonly sessionId: string | undefined;
  readonly alive: boolean;
  /** It has not worked since the end of its turn. */
  readonly isIdle: boolean;
}

/** Why a process must not run a turn; undefined if the conversation is exactly as the process left it. */
export function isStaleBecause(claimed: ClaimedState, warm: WarmState): string | undefined {
  if (claimed.isParked) return 'parked';
  if (!warm.alive) return 'exited';
  if (!warm.isIdle) return 'worked';
  // A claim of an older release does not remove the token, and a commit that a failover undid leaves the epoch.
  if (claimed.epoch !== warm.epoch || claimed.warmClaim !== warm.token || claimed.sessionId !== warm.sessionId)
    return 'moved-on';
  return undefined;
}

/** A process of the pool, as far as its limits are concerned. */
export interface KeptProcess {
  readonly key: string;
  /** When its turn ended, by the monotonic clock. */
  readonly since: number;
}

/** The limits of the processes that a worker keeps. */
export interface WarmLimits {
  readonly keepWarmMs: number;
  readonly maxWarm: number;
}

/** Memory that must stay available: about the size of three CLIs. Below this, no process is kept. */
export const MIN_FREE_BYTES: number = 512 * 1024 * 1024;

/** The processes that must end now: those that have waited too long, and the least recently used ones above the limits. */
export function excess<K extends KeptProcess>(
  kept: readonly K[],
  { keepWarmMs, maxWarm }: WarmLimits,
  { now, freeBytes }: { readonly now: number; readonly freeBytes: number },
): readonly K[] {
  const newestFirst = [...kept].sort((a, b) => b.since - a.since);
  // One at a time, because it takes a moment until the memory of a process is available.
  const room = Math.min(maxWarm, freeBytes < MIN_FREE_BYTES ? newestFirst.length - 1 : maxWarm);
  return newestFirst.filter(({ since }, index) => index >= room || now - since >= keepWarmMs);
}
