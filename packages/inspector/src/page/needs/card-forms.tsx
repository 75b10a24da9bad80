import { isObject } from '@coxswain/shared/is-object';
import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Approval, ApprovalAnswer } from '../../api.ts';
import { visible, visibleJson } from '../text/visible.ts';
import { isSending } from './approvals.ts';
import { keepTyped, typedInto } from './typed-text.ts';

interface FormProps {
  readonly approval: Approval;
  readonly onDecide: (decision: ApprovalAnswer) => void;
  readonly onBack: () => void;
}

/** Denies a request, with a reason for the model. */
export function DenyForm({ approval, onDecide, onBack }: FormProps): ComponentChild {
  const reason = useSignal(typedInto(approval.id, 'deny'));
  const stop = useSignal(false);
  const field = useRef<HTMLInputElement>(null);
  // A layout effect: the next key is meant for the field.
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
          keepTyped(approval.id, 'deny', reason.value);
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

/** Lets a tool run with another input. */
export function EditForm({ approval, onDecide, onBack }: FormProps): ComponentChild {
  const text = useSignal(typedInto(approval.id, 'edit') || visibleJson(approval.input ?? ''));
  const field = useRef<HTMLTextAreaElement>(null);
  // A layout effect: the next key is meant for the field.
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
          keepTyped(approval.id, 'edit', text.value);
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

/** Focuses the field of a form that has just opened, and scrolls the whole form into view. */
function enter(field: HTMLElement | null): void {
  field?.focus({ preventScroll: true });
  field?.closest('form')?.scrollIntoView({ block: 'nearest' });
}

/** Handles Escape here, so that it does not also end a replay or close the details. */
function leaveOnEscape(event: KeyboardEvent, onBack: () => void): void {
  if (event.key !== 'Escape') return;
  event.preventDefault();
  onBack();
}

function problemOf(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? null : 'The input must be a JSON object.';
  } catch (error) {
    return `This is not JSON yet: ${error instanceof Error ? error.message : String(error)}`;
  }
}
