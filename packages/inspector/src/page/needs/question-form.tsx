import type { Signal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import type { Approval, ApprovalAnswer, Question } from '../../api.ts';
import { visible } from '../text/visible.ts';
import { isSending } from './approvals.ts';

/** What was chosen for a question: labels, and a free text. */
export interface Chosen {
  readonly labels: readonly string[];
  readonly other: string;
}

const NOTHING: Chosen = { labels: [], other: '' };

/** The questions of a request with their choices; a free text answers, too. */
export function QuestionForm({
  approval,
  chosen,
  onAnswer,
  onDeny,
}: {
  readonly approval: Approval;
  /** By the place of the question: the model chooses their texts, which may be equal, or names that objects have. */
  readonly chosen: Signal<readonly Chosen[]>;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onDeny: () => void;
}): ComponentChild {
  const all = approval.questions.map((_, at) => chosen.value[at] ?? NOTHING);
  const complete = all.every(isAnswered);
  return (
    <form
      class="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        if (complete) onAnswer({ decision: 'answer', answers: answersOf(approval.questions, all) });
      }}
    >
      {approval.questions.map((question, at) => (
        <Choice
          key={at}
          name={`${approval.id}-${at}`}
          question={question}
          chosen={all[at] ?? NOTHING}
          onChange={(next) => {
            chosen.value = all.map((before, place) => (place === at ? next : before));
          }}
        />
      ))}
      <div class="card-buttons">
        <button type="submit" class="button button-accent" disabled={!complete || isSending(approval.id)}>
          Answer
        </button>
        <button type="button" class="button" onClick={onDeny}>
          Deny… <kbd>d</kbd>
        </button>
      </div>
    </form>
  );
}

/** The questions of a request as text, where they cannot be answered, or are about to be denied. */
export function Questions({ approval }: { readonly approval: Approval }): ComponentChild {
  return approval.questions.map(({ question, options }, at) => (
    <div key={at} dir="auto">
      <p>{visible(question)}</p>
      <ul>
        {options.map(({ label, description }, place) => (
          <li key={place}>
            {visible(label)}
            {description === '' ? null : <span class="quiet small"> {visible(description)}</span>}
          </li>
        ))}
      </ul>
    </div>
  ));
}

function Choice({
  name,
  question,
  chosen,
  onChange,
}: {
  readonly name: string;
  readonly question: Question;
  readonly chosen: Chosen;
  readonly onChange: (chosen: Chosen) => void;
}): ComponentChild {
  const toggle = (label: string): void => {
    const has = chosen.labels.includes(label);
    if (!question.multiSelect) onChange({ labels: [label], other: '' });
    else
      onChange({
        ...chosen,
        labels: has ? chosen.labels.filter((other) => other !== label) : [...chosen.labels, label],
      });
  };
  return (
    <fieldset class="question">
      <legend dir="auto">{visible(question.question)}</legend>
      {question.options.map(({ label, description }, at) => (
        <label key={at} class="choice">
          <input
            type={question.multiSelect ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.labels.includes(label)}
            onChange={() => toggle(label)}
          />
          <span dir="auto">
            {visible(label)}
            {description === '' ? null : <span class="quiet small"> {visible(description)}</span>}
          </span>
        </label>
      ))}
      <input
        class="field"
        dir="auto"
        aria-label={`Another answer to: ${visible(question.question)}`}
        placeholder="Another answer"
        value={chosen.other}
        onInput={(event) => {
          const other = event.currentTarget.value;
          onChange({ labels: question.multiSelect || other === '' ? chosen.labels : [], other });
        }}
      />
    </fieldset>
  );
}

function isAnswered({ labels, other }: Chosen): boolean {
  return labels.length > 0 || other.trim() !== '';
}

function answersOf(
  questions: readonly Question[],
  chosen: readonly Chosen[],
): Readonly<Record<string, string | readonly string[]>> {
  return Object.fromEntries(
    questions.map(({ question, multiSelect }, at) => {
      const { labels, other } = chosen[at] ?? NOTHING;
      const all = other.trim() === '' ? labels : [...labels, other.trim()];
      return [question, multiSelect ? all : (all[0] ?? '')];
    }),
  );
}
