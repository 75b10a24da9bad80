import type { CostInfo } from './cost.ts';

/**
 * How a turn, or the last turn of a conversation, ended. `limit`: it reached a limit (turns, budget, rate or context).
 * `interrupted`: a person, a program or a hook stopped it, or its process ended. `parked`: it continues when its request is answered.
 * `waiting`: it has not ended; it waits in a queue, for a person, or for a limit to reset.
 */
export type Outcome = 'completed' | 'failed' | 'interrupted' | 'limit' | 'parked' | 'waiting';

/** A window of the turns. */
export interface TurnsPage {
  readonly turns: readonly TurnInfo[];
  readonly from: number;
  readonly total: number;
}

/** One turn and its spans. */
export interface TurnInfo {
  readonly id: string;
  /** The beginning of the prompt. */
  readonly title: string;
  /** The number of the first entry. */
  readonly firstEntry: number | null;
  readonly startedAt: number;
  /** `null` while it runs or waits. */
  readonly endedAt: number | null;
  /** `null` while it runs. */
  readonly outcome: Outcome | null;
  /** What ended it, if not `completed`: `max-turns`, `api-error`, `no-result`, … */
  readonly reason: string | null;
  readonly cost: CostInfo | null;
  readonly spans: readonly Span[];
  /** Number of spans omitted because the turn has too many. */
  readonly spansLeftOut: number;
}

/** An operation with a duration within a turn. */
export interface Span {
  readonly id: string;
  /** `model`: a call of the model, with its thinking. `permission`: the time until a person or the program has answered. */
  readonly kind: 'model' | 'thinking' | 'tool' | 'hook' | 'permission' | 'subagent' | 'task';
  readonly name: string;
  /** The most informative part of a tool's input; '' for others. */
  readonly argument: string;
  /** The span it belongs to: the subagent, the call of the model for its thinking, the tool for its permission. */
  readonly parent: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** `ok`, `failed`, or the decision. */
  readonly outcome: string | null;
  /** The entry that shows it. */
  readonly entry: number | null;
  /** The tokens of a call of the model and what they cost; `null` for others. */
  readonly cost: CostInfo | null;
}
