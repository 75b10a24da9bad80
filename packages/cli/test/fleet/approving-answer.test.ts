import { describe, expect, it } from 'vitest';
import { approvingAnswer } from '../../src/fleet/approving-answer.ts';

type Request = Parameters<typeof approvingAnswer>[0];

const asks = (...questions: string[]): Request => ({
  kind: 'question',
  toolName: 'AskUserQuestion',
  input: { questions: questions.map((question) => ({ question, header: '', options: [], multiSelect: false })) },
  id: 'r1',
  suggestions: [],
  raw: {},
});

describe('the answer of `cox fleet approve`', () => {
  it('[L-2, F-8] gives the choices to the questions in their order', () => {
    expect(approvingAnswer(asks('Which boat?', 'How many?'), ['Eight', '2'])).toEqual({
      decision: 'answerQuestions',
      answers: { 'Which boat?': 'Eight', 'How many?': '2' },
    });
  });

  it('[L-2, F-8] needs a choice for each question, and takes none for a tool', () => {
    expect(() => approvingAnswer(asks('Which boat?', 'How many?'), ['Eight'])).toThrow('asks 2 questions');
    expect(() => approvingAnswer(undefined, ['Eight'])).toThrow('for questions only');
    expect(approvingAnswer(undefined, [])).toEqual({ decision: 'allow' });
  });
});
