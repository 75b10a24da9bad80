import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChild, RefObject } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Approval, ApprovalAnswer, Question } from '../../api.ts';
import { visible } from '../text/visible.ts';
import { isSending } from './approvals.ts';
import { keepTyped } from './typed-text.ts';

/** The answer to a question: labels, and a free text. */
export interface Chosen {
  readonly labels: readonly string[];
  readonly other: string;
}

const NOTHING: Chosen = { labels: [], other: '' };

/** What the keys can do with the questions of a card. */
export interface QuestionKeys {
  choose(option: number): boolean;
  submit(): boolean;
}

/** The questions of a request with their choices; a free text is also an answer. */
export function QuestionForm({
  approval,
  chosen,
  keys,
  onAnswer,
  onDeny,
}: {
  readonly approval: Approval;
  /** By the index of the question: the model chooses the texts, which may be equal, or names of object properties. */
  readonly chosen: Signal<readonly Chosen[]>;
  readonly keys: RefObject<QuestionKeys | null>;
  readonly onAnswer: (answer: ApprovalAnswer) => void;
  readonly onDeny: () => void;
}): ComponentChild {
  const { id, questions } = approval;
  const form = useRef<HTMLFormElement>(null);
  /** The question that the number keys apply to: the focused one, or else the first without an answer. */
  const focused = useSignal<number | null>(null);
  const all = questions.map((_, at) => chosen.value[at] ?? NOTHING);
  const open = all.findIndex((each) => !isAnswered(each));
  const current = focused.value ?? Math.max(0, open);
  const change = (at: number, next: Chosen): void => {
    chosen.value = all.map((before, place) => (place === at ? next : before));
    keepTyped(
      id,
      'question',
      chosen.value
        .map(({ other }) => other.trim())
        .filter(Boolean)
        .join('\n'),
    );
  };
  const focus = (question: number, option: number): void =>
    form.current?.querySelector<HTMLElement>(`[data-option="${question}.${option}"]`)?.focus();
  useLayoutEffect(() => {
    keys.current = {
      choose(number) {
        const [question, before] = [questions[current], all[current]];
        const label = question?.options[number - 1]?.label;
        if (question === undefined || before === undefined || label === undefined) return false;
        change(current, toggled(question, before, label));
        // One answer is enough: the next number applies to the next question.
        const next = all.findIndex((each, at) => at !== current && !isAnswered(each));
        if (question.multiSelect || next === -1) focus(current, number - 1);
        else focus(next, 0);
        return true;
      },
      submit() {
        if (open === -1) form.current?.requestSubmit();
        else focus(open, 0);
        return true;
      },
    };
    return () => {
      keys.current = null;
    };
  });
  return (
    <form
      ref={form}
      class="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        if (open === -1) onAnswer({ decision: 'answer', answers: answersOf(questions, all) });
      }}
      onFocusOut={() => (focused.value = null)}
    >
      {questions.map((question, at) => (
        <Choice
          key={at}
          at={at}
          name={`${id}-${at}`}
          question={question}
          chosen={all[at] ?? NOTHING}
          isNumbered={at === current}
          onChange={(next) => change(at, next)}
          onFocus={() => (focused.value = at)}
          onMove={(option) => focus(at, option)}
        />
      ))}
      <div class="card-buttons">
        <button type="submit" class="button button-accent" disabled={open !== -1 || isSending(id)}>
          Answer <kbd>↵</kbd>
        </button>
        <button type="button" class="button" onClick={onDeny}>
          Deny… <kbd>d</kbd>
        </button>
      </div>
    </form>
  );
}

/** The questions of a request as text, for a request that cannot be answered here or is about to be denied. */
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
  at,
  name,
  question,
  chosen,
  isNumbered,
  onChange,
  onFocus,
  onMove,
}: {
  readonly at: number;
  readonly name: string;
  readonly question: Question;
  readonly chosen: Chosen;
  /** Whether the number keys apply to this question. */
  readonly isNumbered: boolean;
  readonly onChange: (chosen: Chosen) => void;
  readonly onFocus: () => void;
  readonly onMove: (option: number) => void;
}): ComponentChild {
  const { options, multiSelect } = question;
  /** Browsers do this only for radio buttons. */
  const move = (event: KeyboardEvent, place: number): void => {
    const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (by === 0 || !multiSelect) return;
    event.preventDefault();
    onMove((place + by + options.length) % options.length);
  };
  return (
    <fieldset class="question" onFocusIn={onFocus}>
      <legend dir="auto">{visible(question.question)}</legend>
      {options.map(({ label, description }, place) => (
        <label key={place} class="choice">
          <input
            type={multiSelect ? 'checkbox' : 'radio'}
            name={name}
            data-option={`${at}.${place}`}
            checked={chosen.labels.includes(label)}
            onChange={() => onChange(toggled(question, chosen, label))}
            onKeyDown={(event) => move(event, place)}
          />
          {place < NUMBERS ? <kbd class={isNumbered ? undefined : 'kbd-off'}>{place + 1}</kbd> : null}
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
          onChange({ labels: multiSelect || other === '' ? chosen.labels : [], other });
        }}
      />
    </fieldset>
  );
}

/** The keys `1` to `9`. */
const NUMBERS = 9;

/** Adds or removes a label; for a question with one answer, replaces it. */
function toggled({ multiSelect }: Question, chosen: Chosen, label: string): Chosen {
  if (!multiSelect) return { labels: [label], other: '' };
  const others = chosen.labels.filter((other) => other !== label);
  return { ...chosen, labels: others.length < chosen.labels.length ? others : [...others, label] };
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
