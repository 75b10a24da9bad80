import type { PermissionRequest } from 'coxswain';
import type { Question } from '../api.ts';
import { badRequest } from '../refusal.ts';
import { oneLine } from '../transcript/cut.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';

/** A question of the model, and what the page shows of it. */
export interface AskedQuestion {
  readonly question: string;
  readonly shown: Question;
  /** The labels of the model by those that are shown, which have no secrets. */
  readonly labels: ReadonlyMap<string, string>;
}

type Answers = Readonly<Record<string, string | readonly string[]>>;

/** The questions of a request; none if it is of another kind. */
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

/** The answers by the model's own texts. @throws Refusal unless each question, and nothing else, is answered */
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

/** The texts as they are shown. Texts that differ in a secret only are numbered, so that an answer tells which it means. */
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
