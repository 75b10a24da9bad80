import type { Conversation, Outcome } from '../api.ts';

/** The outcome for a kind of ending: of `outcomeOf(result)`, a fleet or a source. An unknown kind counts as failed. */
export function outcomeOfKind(kind: string): Outcome {
  return OUTCOMES.get(kind) ?? 'failed';
}

const OUTCOMES = new Map<string, Outcome>([
  ['completed', 'completed'],
  ['interrupted', 'interrupted'],
  ['cancelled', 'interrupted'],
  ['stopped-by-hook', 'interrupted'],
  ['unfinished', 'interrupted'],
  // Errors of a program that ends its own turn.
  ['abort', 'interrupted'],
  ['turn-cancelled', 'interrupted'],
  ['session-stopped', 'interrupted'],
  ['max-turns', 'limit'],
  ['budget', 'limit'],
  ['rate-limit', 'limit'],
  ['context-full', 'limit'],
  ['deferred', 'parked'],
  ['parked', 'parked'],
]);

/** Whether a person should look at it: the turn did not do its task, and no one stopped it. */
export function isFailure({ outcome }: Pick<Conversation, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'limit';
}
