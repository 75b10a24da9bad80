import type { CostInfo } from './cost.ts';

/**
 * How a turn, or the last turn of a conversation, ended. `limit`: of turns, of a budget, of the rate or of the context. `interrupted`:
 * by a person, a program or a hook, or cut off. `parked`: it goes on when its request is answered. `waiting`: it has not ended, and
 * waits: in a queue, for a person, or for a limit to be over.
 */
export type Outcome = 'completed' | 'failed' | 'interrupted' | 'limit' | 'parked' | 'waiting';

/** A window of the turns. */
export interface TurnsPage {
  readonly turns: readonly TurnInfo[];
  readonly from: number;
  readonly total: number;
}

/** One turn and what ran in it. */
export interface TurnInfo {
  readonly id: string;
  /** The beginning of its prompt. */
  readonly title: string;
  /** The number of its first entry. */
  readonly firstEntry: number | null;
  readonly startedAt: number;
  /** `null` while it runs or waits. */
  readonly endedAt: number | null;
  /** `null` while it runs. */
  readonly outcome: Outcome | null;
  /** What ended it, unless it is `completed`: `max-turns`, `api-error`, `no-result`, … */
  readonly reason: string | null;
  readonly cost: CostInfo | null;
  readonly spans: readonly Span[];
  /** How many spans were left out because there are too many. */
  readonly spansLeftOut: number;
}

/** Something that took time in a turn. */
export interface Span {
  readonly id: string;
  readonly kind: 'tool' | 'hook' | 'permission' | 'subagent' | 'task';
  readonly name: string;
  /** The span it belongs to: the subagent's. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `ok`, `failed`, or the decision. */
  readonly outcome: string | null;
  /** The entry that shows it. */
  readonly entry: number | null;
}
