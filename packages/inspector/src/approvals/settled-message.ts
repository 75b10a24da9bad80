import type { AnsweredApproval } from '../api.ts';

/** Why a request can no longer be answered, for the person who was too late. */
export function settledMessage({ by, decision }: AnsweredApproval): string {
  const done = DONE.get(decision);
  if (done !== undefined) return `${by ?? 'The program'} has already ${done} this request.`;
  return ENDS.get(decision) ?? 'This request no longer needs an answer.';
}

/** Whether a person or the program has decided. */
export function isDecision(decision: string): boolean {
  return DONE.has(decision);
}

/** Decisions by a person or the program. */
const DONE = new Map([
  ['allow', 'allowed'],
  ['deny', 'denied'],
  ['stopTurn', 'denied'],
  ['answerQuestions', 'answered'],
]);

/** Endings without a decision. */
const ENDS = new Map([
  ['timeout', 'This request was denied, because it was not answered in time.'],
  ['cancelled', 'The agent has withdrawn this request.'],
  ['session-stop', 'The session has ended, which closed this request.'],
  ['stopped', 'The session has ended, which closed this request.'],
  ['replaced', 'The agent has replaced this request: review the new one.'],
  ['void', 'The turn has ended, which closed this request.'],
]);
