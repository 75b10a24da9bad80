import type { Approval, ApprovalAnswer } from '@coxswain/fleet';
import { UsageError } from '../exit-codes.ts';

/** What `cox fleet approve` answers: the choices of a person if the model asks questions. @throws UsageError */
export function approvingAnswer(request: Approval['request'] | undefined, choices: readonly string[]): ApprovalAnswer {
  if (request?.kind !== 'question') {
    if (choices.length > 0) throw new UsageError('--answer is for questions only.');
    return { decision: 'allow' };
  }
  const questions = request.input.questions.map(({ question }) => question);
  if (choices.length !== questions.length)
    throw new UsageError(
      `The model asks ${questions.length === 1 ? 'a question' : `${questions.length} questions`}: answer each with --answer <choice>, in their order.`,
    );
  return {
    decision: 'answerQuestions',
    answers: Object.fromEntries(questions.map((question, n) => [question, choices[n] ?? ''])),
  };
}
