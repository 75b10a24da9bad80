import type { Conversation, Outcome } from '../api.ts';

/** What an end means, by its kind: that of `outcomeOf(result)`, of a fleet, or of a source. What is not known has failed. */
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

/** Whether a person should look at it: it did not do what it was asked for, and nobody wanted that. */
export function isFailure({ outcome }: Pick<Conversation, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'limit';
}
