import type { PermissionRequest } from 'coxswain';
import { createRedactor } from 'coxswain/transport';
import { describe, expect, it } from 'vitest';
import { answersTo, questionsOf } from '../../src/approvals/questions.ts';

const redact = createRedactor(['tide-secret-77', 'tide-secret-88']);

function asked(...questions: readonly object[]) {
  // As sent by the CLI; the rest of a request does not matter here.
  const request = { kind: 'question', toolName: 'AskUserQuestion', input: { questions } } as unknown;
  return questionsOf(request as PermissionRequest, redact);
}

const option = (label: string, description = '') => ({ label, description });
const BOAT = { question: 'Which boat?', header: 'Boat', options: [option('Eight'), option('Single')] };
const OARS = { question: 'Which oars?', header: 'Oars', multiSelect: true, options: [option('Red'), option('Blue')] };

describe('questions of the model', () => {
  it('[I-5] texts, headers, labels and descriptions of questions are redacted', () => {
    const [question] = asked({
      question: 'Is tide-secret-77 right?',
      header: 'tide-secret-77',
      options: [option('Use tide-secret-77', 'the one of tide-secret-88')],
    });
    expect(JSON.stringify(question?.shown)).not.toContain('tide-secret');
    expect(question?.shown).toMatchObject({
      question: 'Is [redacted] right?',
      options: [{ label: 'Use [redacted]', description: 'the one of [redacted]' }],
    });
  });

  it('[I-2, I-5] the model receives answers with its own texts, even if two texts differ only in a secret', () => {
    const secret = (value: string) => ({
      question: `Is ${value} right?`,
      multiSelect: true,
      options: [option('tide-secret-77'), option('tide-secret-88'), option('No')],
    });
    const questions = asked(secret('tide-secret-77'), secret('tide-secret-88'));
    expect(questions.map(({ shown }) => shown.question)).toEqual(['Is [redacted] right?', 'Is [redacted] right? (2)']);
    expect(questions[0]?.shown.options.map(({ label }) => label)).toEqual(['[redacted]', '[redacted] (2)', 'No']);
    const answers = { 'Is [redacted] right?': ['[redacted] (2)', 'No'], 'Is [redacted] right? (2)': 'neither of them' };
    expect(answersTo(questions, answers)).toEqual({
      'Is tide-secret-77 right?': ['tide-secret-88', 'No'],
      'Is tide-secret-88 right?': 'neither of them',
    });
  });

  it('[I-2] an answer to an unknown question, or a missing answer, is refused', () => {
    const questions = asked(BOAT, OARS);
    const refused = (answers: Parameters<typeof answersTo>[1]) => expect(() => answersTo(questions, answers));
    refused({ Nope: 'y' }).toThrow('the question "Nope" was not asked');
    refused({ 'Which boat?': 'Eight', 'Which oars?': 'Red', more: 'x' }).toThrow('was not asked');
    refused({ 'Which boat?': 'Eight' }).toThrow('the question "Which oars?" has no answer');
    refused({ 'Which boat?': ' ', 'Which oars?': 'Red' }).toThrow('has no answer');
    refused({ 'Which boat?': 'Eight', 'Which oars?': [] }).toThrow('has no answer');
    refused({ 'Which boat?': ['Eight', 'Single'], 'Which oars?': 'Red' }).toThrow('takes one answer');
    const fine = { 'Which boat?': 'one of my own', 'Which oars?': ['Red', 'Blue'] };
    expect(answersTo(questions, fine)).toEqual(fine);
  });

  it('[I-2] questions named like built-in object properties are handled like others', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      const questions = asked({ ...BOAT, question: name });
      expect(() => answersTo(questions, {})).toThrow('has no answer');
      const answers = answersTo(questions, JSON.parse(`{${JSON.stringify(name)}: "Eight"}`));
      expect(Object.entries(answers)).toEqual([[name, 'Eight']]);
    }
  });
});
