import type { PermissionRequest } from 'coxswain';
import type { Question } from '../api.ts';
import { badRequest } from '../refusal.ts';
import { oneLine } from '../transcript/cut.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';

/** A question of the model, and how the page shows it. */
export interface AskedQuestion {
  readonly question: string;
  readonly shown: Question;
  /** The model's labels by their redacted form. */
  readonly labels: ReadonlyMap<string, string>;
}

type Answers = Readonly<Record<string, string | readonly string[]>>;

/** The questions of a request; empty if it is of another kind. */
export function questionsOf(request: PermissionRequest, redact: (text: string) => string): readonly AskedQuestion[] {
  if (request.kind !== 'question') return [];
  const questions = listIn({ ...request.input }, 'questions').map(fieldsOf);
  const texts = questions.map((question) => textIn(question, 'question') ?? '');
  const shownTexts = withoutSecrets(texts, redact);
  return questions.map((question, at) => {
    const options = listIn(question, 'options').map(fieldsOf);
    const labels = options.map((option) => textIn(option, 'label') ?? '');
    const shownLabels = withoutSecrets(labels, redact);
    return {
      question: texts[at] ?? '',
      labels: new Map(shownLabels.map((shown, place) => [shown, labels[place] ?? ''])),
      shown: {
        question: shownTexts[at] ?? '',
        header: redact(textIn(question, 'header') ?? ''),
        multiSelect: question.multiSelect === true,
        options: options.map((option, place) => ({
          label: shownLabels[place] ?? '',
          description: redact(textIn(option, 'description') ?? ''),
        })),
      },
    };
  });
}

/** Maps answers to the model's original texts. @throws Refusal unless every question is answered, and no others */
export function answersTo(questions: readonly AskedQuestion[], answers: Answers): Answers {
  for (const name of Object.keys(answers)) {
    if (!questions.some(({ shown }) => shown.question === name))
      throw badRequest(`the question ${quoted(name)} was not asked`);
  }
  return Object.fromEntries(questions.map((asked) => [asked.question, answerTo(asked, answers)]));
}

function answerTo({ shown, labels }: AskedQuestion, answers: Answers): string | readonly string[] {
  const { question, multiSelect } = shown;
  const given = Object.hasOwn(answers, question) ? answers[question] : undefined;
  const chosen = [given ?? []].flat();
  if (chosen.length === 0 || chosen.some((text) => text.trim() === '')) {
    throw badRequest(`the question ${quoted(question)} has no answer`);
  }
  if (chosen.length > 1 && !multiSelect) throw badRequest(`the question ${quoted(question)} takes one answer`);
  const real = chosen.map((text) => labels.get(text) ?? text);
  return typeof given === 'string' ? (real[0] ?? '') : real;
}

/** Redacts the texts. Texts that differ only in a secret are numbered, so that an answer is unambiguous. */
function withoutSecrets(texts: readonly string[], redact: (text: string) => string): string[] {
  const meant = new Map<string, string>();
  return texts.map((text) => {
    const masked = redact(text);
    let shown = masked;
    for (let number = 2; (meant.get(shown) ?? text) !== text; number++) shown = `${masked} (${number})`;
    meant.set(shown, text);
    return shown;
  });
}

function quoted(text: string): string {
  return JSON.stringify(oneLine(text, 100));
}
