import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Approval, ApprovalAnswer } from '../../api.ts';
import { serverInfo } from '../connection/server-info.ts';
import { now } from '../layout/clock.ts';
import { Icon } from '../layout/icon.tsx';
import { linkToConversation } from '../route.ts';
import { age } from '../text/format.ts';
import { Markdown } from '../text/markdown.tsx';
import { MarkdownText } from '../text/markdown-text.ts';
import { visible } from '../text/visible.ts';
import { CutText } from '../transcript/cut-text.tsx';
import { DiffView } from '../transcript/diff-view.tsx';
import { answer, cardHidden, cardShown, isSending } from './approvals.ts';
import { activeCard, type CardKeys, registerCard } from './card-keys.ts';
import { QuestionForm } from './question-form.tsx';

/** One request: what would run, why it is asked, and the ways to answer. */
export function ApprovalCard({
  approval,
  linked,
}: {
  readonly approval: Approval;
  readonly linked: boolean;
}): ComponentChild {
  const mode = useSignal<'choose' | 'deny' | 'edit'>('choose');
  const root = useRef<HTMLElement>(null);
  const { id } = approval;
  const readOnly = serverInfo.value?.readOnly === true;
  useEffect(() => {
    cardShown(id);
    const keys: CardKeys = {
      id,
      element: () => root.current,
      allow: (scope) => canAllow(approval, scope) && void answer(approval, { decision: 'allow', scope }),
      deny: () => {
        mode.value = 'deny';
      },
      edit: () => {
        if (approval.input !== null && approval.kind === 'tool') mode.value = 'edit';
      },
    };
    const unregister = registerCard(keys);
    return () => {
      unregister();
      cardHidden(id);
    };
  }, [id]);
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
      aria-label={`${approval.tool} needs a decision`}
    >
      <CardHead approval={approval} linked={linked} />
      <div class="card-body">
        <CardContent approval={approval} />
      </div>
      {readOnly ? <p class="card-foot small quiet">Read-only: this request cannot be answered from here.</p> : null}
      {mode.value === 'choose' && approval.kind === 'question' && !readOnly ? (
        <QuestionForm approval={approval} onAnswer={decide} onDeny={() => (mode.value = 'deny')} />
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

function CardContent({ approval }: { readonly approval: Approval }): ComponentChild {
  // Some calls are described by what they would run, which is shown below.
  const repeated = [approval.diff?.path, approval.argument, approval.what.text].includes(approval.description ?? '');
  const description = repeated ? null : approval.description;
  const reason =
    approval.blockedPath === null
      ? approval.reason
      : `${approval.reason ?? 'Outside the allowed folders'}: ${approval.blockedPath}`;
  return (
    <>
      {description === null ? null : <p class="card-description">{visible(description)}</p>}
      {approval.kind === 'plan' ? <Markdown blocks={new MarkdownText().blocks(approval.what.text)} /> : null}
      {approval.kind === 'tool' && approval.diff ? <DiffView diff={approval.diff} /> : null}
      {approval.kind === 'tool' && !approval.diff ? <CutText cut={approval.what} label="What would run" /> : null}
      {reason ? <p class="quiet small">{visible(reason)}</p> : null}
    </>
  );
}

function canAllow(approval: Approval, scope: 'once' | 'session' | 'always'): boolean {
  return approval.kind !== 'question' && (scope === 'once' || approval.scopes.includes(scope));
}

/** The rules that a scope accepts, for people. */
function rulesOf(approval: Approval, scope: 'session' | 'always'): string {
  const rules = approval.suggestions.filter((suggestion) => suggestion.scope === scope);
  return rules.map(({ rule, destination }) => `${visible(rule)} → ${visible(destination)}`).join(', ');
}

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
  const always = rulesOf(approval, 'always');
  const session = rulesOf(approval, 'session');
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
        {(['session', 'always'] as const)
          .filter((scope) => canAllow(approval, scope))
          .map((scope) => (
            <button
              key={scope}
              type="button"
              class="button"
              disabled={busy}
              onClick={() => onDecide({ decision: 'allow', scope })}
            >
              {scope === 'always' ? 'Always' : 'Allow for session'} {scope === 'session' ? <kbd>s</kbd> : null}
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
      {session === '' && always === '' ? null : (
        <dl class="card-rules small">
          {session === '' ? null : <Rule name="For session" rule={session} />}
          {always === '' ? null : <Rule name="Always" rule={always} />}
        </dl>
      )}
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
  useEffect(() => field.current?.focus(), []);
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
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
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
  useEffect(() => field.current?.focus(), []);
  const problem = problemOf(text.value);
  return (
    <form
      class="card-foot"
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === null) onDecide({ decision: 'allow', scope: 'once', input: text.value });
      }}
      onKeyDown={(event) => event.key === 'Escape' && onBack()}
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
