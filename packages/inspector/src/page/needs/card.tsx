import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Approval, ApprovalAnswer, ApprovalScope } from '../../api.ts';
import { serverInfo } from '../connection/server-info.ts';
import { Boundary } from '../layout/boundary.tsx';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { say } from '../layout/toasts.tsx';
import { linkToConversation } from '../route.ts';
import { age } from '../text/format.ts';
import { visible } from '../text/visible.ts';
import { answer, cardHidden, cardShown, isSending } from './approvals.ts';
import { CardContent } from './card-content.tsx';
import { activeCard, type CardKeys, registerCard } from './card-keys.ts';
import { type Chosen, QuestionForm, Questions } from './question-form.tsx';

interface CardProps {
  readonly approval: Approval;
  readonly linked: boolean;
}

/** One request: what would run, why it is asked, and the ways to answer. One that cannot be shown can be denied. */
export function ApprovalCard({ approval, linked }: CardProps): ComponentChild {
  return (
    <Boundary otherwise={<BrokenCard approval={approval} linked={linked} />}>
      <Card approval={approval} linked={linked} />
    </Boundary>
  );
}

function BrokenCard({ approval, linked }: CardProps): ComponentChild {
  useEffect(() => {
    cardShown(approval.id);
    return () => cardHidden(approval.id);
  }, [approval.id]);
  const reason = 'The inspector could not show this request.';
  return (
    <article class="card new-row" data-approval={approval.id} aria-label={`${visible(approval.tool)} needs a decision`}>
      <CardHead approval={approval} linked={linked} />
      <p class="card-body">This request cannot be shown here. Answer it in the program, or deny it.</p>
      <footer class="card-foot card-buttons">
        <button type="button" class="button" onClick={() => void answer(approval, { decision: 'deny', reason })}>
          Deny
        </button>
      </footer>
    </article>
  );
}

function Card({ approval, linked }: CardProps): ComponentChild {
  const mode = useSignal<'choose' | 'deny' | 'edit'>('choose');
  // Kept while the form to deny takes the place of the questions.
  const chosen = useSignal<readonly Chosen[]>([]);
  const root = useRef<HTMLElement>(null);
  const { id } = approval;
  const readOnly = serverInfo.value?.readOnly === true;
  // Keys that are pressed at once are not lost.
  useLayoutEffect(() => {
    const keys: CardKeys = {
      id,
      element: () => root.current,
      allow: (scope) => {
        if (canAllow(approval, scope)) void answer(approval, { decision: 'allow', scope });
      },
      deny: () => {
        mode.value = 'deny';
      },
      edit: () => {
        if (approval.input !== null && approval.kind === 'tool') mode.value = 'edit';
      },
    };
    const refuse = (): void => say('Nothing was done: this page is in read-only mode.');
    const unregister = registerCard(readOnly ? { ...keys, allow: refuse, deny: refuse, edit: refuse } : keys);
    cardShown(id);
    return () => {
      unregister();
      cardHidden(id);
    };
  }, [id, readOnly]);
  const decide = (decision: ApprovalAnswer): void => void answer(approval, decision);
  const back = (): void => {
    mode.value = 'choose';
    root.current?.focus();
  };
  return (
    <article
      ref={root}
      class="card new-row"
      tabIndex={-1}
      data-active={activeCard.value === id}
      data-approval={id}
      onFocusIn={() => (activeCard.value = id)}
      onPointerDown={() => (activeCard.value = id)}
      onClickCapture={(event) => {
        // The second click of a double click was meant for what was here before.
        if (event.detail > 1 && event.target instanceof Element && event.target.closest('button') !== null) {
          event.preventDefault();
          event.stopPropagation();
        }
      }}
      aria-label={`${approval.tool} needs a decision`}
    >
      <CardHead approval={approval} linked={linked} />
      <div class="card-body">
        <CardContent approval={approval} />
        {approval.kind === 'question' && (readOnly || mode.value !== 'choose') ? (
          <Questions approval={approval} />
        ) : null}
      </div>
      {readOnly ? <p class="card-foot small quiet">Read-only: this request cannot be answered from here.</p> : null}
      {mode.value === 'choose' && approval.kind === 'question' && !readOnly ? (
        <QuestionForm approval={approval} chosen={chosen} onAnswer={decide} onDeny={() => (mode.value = 'deny')} />
      ) : null}
      {mode.value === 'choose' && approval.kind !== 'question' && !readOnly ? (
        <Choices approval={approval} onDecide={decide} onMode={(next) => (mode.value = next)} />
      ) : null}
      {mode.value === 'deny' ? <DenyForm approval={approval} onDecide={decide} onBack={back} /> : null}
      {mode.value === 'edit' ? <EditForm approval={approval} onDecide={decide} onBack={back} /> : null}
    </article>
  );
}

function CardHead({ approval, linked }: { readonly approval: Approval; readonly linked: boolean }): ComponentChild {
  return (
    <header class="card-head">
      <span class="status status-needs-me">
        <Icon name={approval.kind === 'question' ? 'question' : 'needs-me'} />
        {HEADS[approval.kind](approval)}
      </span>
      {approval.agent === null ? null : <span class="quiet small">by {visible(approval.agent)}</span>}
      {linked ? (
        <a class="card-link small cut" href={linkToConversation(approval.conversation, approval.entry)}>
          {visible(approval.conversationTitle) || 'Untitled conversation'}
        </a>
      ) : (
        <span class="grow" />
      )}
      <span class="quiet small numbers">{age(approval.requestedAt, now.value)}</span>
    </header>
  );
}

const HEADS: Readonly<Record<Approval['kind'], (approval: Approval) => string>> = {
  tool: ({ tool }) => `${visible(tool)} wants to run`,
  question: () => 'The agent has a question',
  plan: () => 'A plan to approve',
};

function canAllow(approval: Approval, scope: ApprovalScope): boolean {
  return approval.kind !== 'question' && (scope === 'once' || approval.scopes.includes(scope));
}

/** The rules that a scope accepts, for people. */
function rulesOf(approval: Approval, scope: Exclude<ApprovalScope, 'once'>): string {
  const rules = approval.suggestions.filter((suggestion) => suggestion.scope === scope);
  const texts = rules.map(({ rule, destination }) =>
    scope === 'always' ? `${visible(rule)} in ${visible(destination)}` : visible(rule),
  );
  return texts.join(', ');
}

/** The scopes that accept rules: what their buttons and their rules are called. */
const RULED: readonly (readonly [Exclude<ApprovalScope, 'once'>, string, string])[] = [
  ['session', 'Allow for session', 'For session'],
  ['mode', 'Allow with all edits', 'All edits'],
  ['always', 'Always', 'Always'],
];

function Choices({
  approval,
  onDecide,
  onMode,
}: {
  readonly approval: Approval;
  readonly onDecide: (decision: ApprovalAnswer) => void;
  readonly onMode: (mode: 'deny' | 'edit') => void;
}): ComponentChild {
  const busy = isSending(approval.id);
  const rules = RULED.map(([scope, , name]) => [name, rulesOf(approval, scope)] as const).filter(([, rule]) => rule);
  return (
    <footer class="card-foot">
      <div class="card-buttons">
        <button
          type="button"
          class="button button-accent"
          disabled={busy}
          onClick={() => onDecide({ decision: 'allow', scope: 'once' })}
        >
          {approval.kind === 'plan' ? 'Approve plan' : 'Allow once'} <kbd>a</kbd>
        </button>
        {RULED.filter(([scope]) => canAllow(approval, scope)).map(([scope, label]) => (
          <button
            key={scope}
            type="button"
            class="button"
            disabled={busy}
            onClick={() => onDecide({ decision: 'allow', scope })}
          >
            {label} {scope === 'session' ? <kbd>s</kbd> : null}
          </button>
        ))}
        <button type="button" class="button" disabled={busy} onClick={() => onMode('deny')}>
          Deny… <kbd>d</kbd>
        </button>
        {approval.input !== null && approval.kind === 'tool' ? (
          <button type="button" class="button" disabled={busy} onClick={() => onMode('edit')}>
            Edit… <kbd>e</kbd>
          </button>
        ) : null}
      </div>
      {rules.length === 0 ? null : (
        <dl class="card-rules small">
          {rules.map(([name, rule]) => (
            <Rule key={name} name={name} rule={rule} />
          ))}
        </dl>
      )}
      {canAllow(approval, 'mode') ? (
        <p class="small quiet">With the rules alone, Claude Code asks again for commands that write files.</p>
      ) : null}
    </footer>
  );
}

function Rule({ name, rule }: { readonly name: string; readonly rule: string }): ComponentChild {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <code>{rule}</code>
      </dd>
    </div>
  );
}

interface FormProps {
  readonly approval: Approval;
  readonly onDecide: (decision: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

function DenyForm({ approval, onDecide, onBack }: FormProps): ComponentChild {
  const reason = useSignal('');
  const stop = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  // At once: the next key is meant for the field.
  useLayoutEffect(() => enter(field.current), []);
  return (
    <form
      class="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        onDecide({
          decision: 'deny',
          reason: reason.value.trim() || 'Denied from the inspector.',
          interrupt: stop.value,
        });
      }}
      onKeyDown={(event) => leaveOnEscape(event, onBack)}
    >
      <label class="small" for={`reason-${approval.id}`}>
        Tell the model why (optional)
      </label>
      <input
        ref={field}
        id={`reason-${approval.id}`}
        class="field"
        dir="auto"
        value={reason.value}
        onInput={(event) => {
          reason.value = event.currentTarget.value;
        }}
        placeholder="Use the staging database instead"
      />
      <label class="check small">
        <input type="checkbox" checked={stop.value} onChange={() => (stop.value = !stop.value)} /> Also end the turn
      </label>
      <div class="card-buttons">
        <button type="submit" class="button button-accent" disabled={isSending(approval.id)}>
          Deny
        </button>
        <button type="button" class="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

function EditForm({ approval, onDecide, onBack }: FormProps): ComponentChild {
  const text = useSignal(approval.input ?? '');
  const field = useRef<HTMLTextAreaElement>(null);
  // At once: the next key is meant for the field.
  useLayoutEffect(() => enter(field.current), []);
  const problem = problemOf(text.value);
  return (
    <form
      class="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onDecide({ decision: 'allow', scope: 'once', input: text.value });
      }}
      onKeyDown={(event) => leaveOnEscape(event, onBack)}
    >
      <label class="small" for={`input-${approval.id}`}>
        The input of {visible(approval.tool)}, as JSON
      </label>
      <textarea
        ref={field}
        id={`input-${approval.id}`}
        class="field mono"
        dir="ltr"
        rows={Math.min(14, text.value.split('\n').length + 1)}
        spellcheck={false}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        aria-describedby={`problem-${approval.id}`}
      />
      <p id={`problem-${approval.id}`} class="small quiet">
        {problem ?? 'The tool runs with this input.'}
      </p>
      <div class="card-buttons">
        <button type="submit" class="button button-accent" disabled={problem !== null || isSending(approval.id)}>
          Allow with this input
        </button>
        <button type="button" class="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

/** Lets a person write in a form that has just opened, with all of it in view. */
function enter(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true });
  field?.closest('form')?.scrollIntoView({ block: 'nearest' });
}

/** The key is used up: it does not also end a replay, or close the details. */
function leaveOnEscape(event: KeyboardEvent, onBack: () => void): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  onBack();
}

function problemOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? null
      : 'The input must be a JSON object.';
  } catch (error) {
    return `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}`;
  }
}
