import { OptionsError } from '../errors/options.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { DecisionOf, PermissionDecision } from './decisions.ts';
import { answersNothing, type EncodedPermission, encodePermission } from './permission-codec.ts';
import type { PermissionRequest } from './permission-request.ts';
import type { UpdateTerms } from './permission-updates.ts';

/** An answer to a permission request. */
export type PermissionAnswer = Exclude<PermissionDecision, DecisionOf<'decideLater'>>;

/**
 * Checks an answer that came from elsewhere, for example over a network, as `answerPermission()` does: every field must be
 * known, a question needs an answer, and one that changes permissions needs `allowPermissionUpdates`. Pass the options of the session.
 * @throws OptionsError
 */
export function checkAnswer(answer: unknown, request: PermissionRequest, options: UpdateTerms = {}): PermissionAnswer {
  usableAnswer(answer, request, options);
  // The check above has encoded it, so it is an answer.
  return answer as PermissionAnswer;
}

/** The answer as the response to the CLI. @throws OptionsError */
export function usableAnswer(answer: unknown, request: PermissionRequest, terms: UpdateTerms): EncodedPermission {
  const encoding = encodePermission(request, answer, terms);
  if (!encoding.ok) throw new OptionsError([{ path: 'answer', message: encoding.problem }]);
  if (encoding.later) throw new OptionsError([{ path: 'answer', message: 'decideLater() is not an answer' }]);
  const { updatedInput } = encoding.response;
  if (isJsonObject(updatedInput) && answersNothing(request, updatedInput)) {
    const message = 'a question needs an answer: use answerQuestions({ question: choice }), or deny() to give none';
    throw new OptionsError([{ path: 'answer', message }]);
  }
  return encoding;
}
