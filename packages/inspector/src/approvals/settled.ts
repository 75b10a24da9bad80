import type { AnsweredApproval } from '../api.ts';

/** Why a request takes no answer any more, for the person who came too late. */
export function settledBefore({ by, decision }: AnsweredApproval): string {
  const done = DONE.get(decision);
  if (done !== undefined) return `${by ?? 'The program'} has already ${done} this request.`;
  return ENDS.get(decision) ?? 'This request no longer needs an answer.';
}

/** Decisions of people and of the program. */
const DONE = new Map([
  ['allow', 'allowed'],
  ['deny', 'denied'],
  ['stopTurn', 'denied'],
  ['answerQuestions', 'answered'],
]);

/** Ends without a decision. */
const ENDS = new Map([
  ['timeout', 'This request was denied, because it was not answered in time.'],
  ['cancelled', 'The agent has withdrawn this request.'],
  ['session-stop', 'The session has ended, and this request with it.'],
  ['stopped', 'The session has ended, and this request with it.'],
  ['replaced', 'The agent asks for something else now: look at the new request.'],
  ['void', 'The turn has ended, and this request with it.'],
]);
