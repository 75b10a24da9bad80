import type { Difference } from '../diff/difference.ts';
import type { Rehearsal } from '../rehearse.ts';
import type { CallTrace } from '../trace/trace.ts';

/** A rehearsed conversation in order, with each difference at its step. */
export interface ConversationSteps {
  /** Differences that belong to the whole conversation, such as its requests. */
  readonly whole: readonly Difference[];
  /** The turns, and the calls of subagents, which belong to none. */
  readonly parts: readonly ConversationPart[];
}

/** A turn with its calls. */
export interface ConversationPart {
  /** Counted from 1; absent for the calls of subagents. */
  readonly turn?: number;
  readonly prompt: string;
  readonly differences: readonly Difference[];
  readonly calls: readonly { readonly call: CallTrace; readonly differences: readonly Difference[] }[];
}

/** Puts the differences of a rehearsal where they belong. */
export function stepsOf({ before, after, differences }: Rehearsal): ConversationSteps {
  const later = new Map(after.calls.map((call) => [call.id, call]));
  const callsIn = (turn: number | undefined): ConversationPart['calls'] =>
    before.calls
      .filter((call) => call.turn === turn)
      .map((call) => ({
        call: later.get(call.id) ?? call,
        differences: differences.filter((difference) => difference.call === call.id),
      }));
  const turns = before.turns.map(({ prompt }, index): ConversationPart => {
    const own = differences.filter(({ turn, call }) => turn === index + 1 && call === undefined);
    return { turn: index + 1, prompt, differences: own, calls: callsIn(index + 1) };
  });
  const ofAgents = callsIn(undefined);
  return {
    whole: differences.filter(({ turn, call }) => turn === undefined && call === undefined),
    parts: ofAgents.length === 0 ? turns : [...turns, { prompt: 'Subagents', differences: [], calls: ofAgents }],
  };
}
