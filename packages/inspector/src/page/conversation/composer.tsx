import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Action, Conversation } from '../../api.ts';
import { act } from '../connection/http.ts';
import { Icon } from '../layout/icon.tsx';
import { onKey } from '../layout/shortcuts.ts';
import { attempt } from '../layout/toasts.tsx';
import { showConversation } from '../route.ts';

/** What sending does: adds to the running turn, sends the next prompt, or continues a conversation with a first prompt. */
type Use = 'steer' | 'send' | 'resume' | 'fork';

const PLACEHOLDERS: Readonly<Record<Use, string>> = {
  steer: 'Steer this turn …',
  send: 'Send a prompt …',
  resume: 'Continue this conversation …',
  fork: 'Continue in a copy …',
};
const BUTTONS: Readonly<Record<Use, string>> = { steer: 'Steer', send: 'Send', resume: 'Resume', fork: 'Fork' };

/** Drafts are kept when the user switches to another conversation. */
const drafts = new Map<string, string>();

/** The input at the bottom: a prompt, or a message to the running turn. */
export function Composer({ conversation }: { readonly conversation: Conversation }): ComponentChild {
  const { id, actions } = conversation;
  const text = useSignal(drafts.get(id) ?? '');
  const sending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => onKey('i', () => field.current?.focus()), []);
  useEffect(() => fit(field.current), [text.value]);
  const uses = usesOf(actions);
  const [use, other] = uses;
  if (use === undefined) return <p class="composer composer-closed small quiet">{closedNote(conversation)}</p>;
  const submit = async (as: Use): Promise<void> => {
    const content = text.value.trim();
    if (content === '' || sending.value) return;
    sending.value = true;
    const worked = await attempt(async () => {
      const { conversation: next } = await act(id, actionOf(as, content));
      if (next !== null && next !== id) showConversation(next);
    });
    sending.value = false;
    // Text that was written in the meantime is the next prompt.
    if (!worked || text.value.trim() !== content) return;
    text.value = '';
    drafts.delete(id);
    field.current?.focus();
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(use);
      }}
    >
      <div class="composer-box">
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          aria-label={PLACEHOLDERS[use].replace(' …', '')}
          placeholder={PLACEHOLDERS[use]}
          value={text.value}
          onInput={(event) => {
            text.value = event.currentTarget.value;
            drafts.set(id, text.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') event.currentTarget.blur();
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void submit(use);
          }}
        />
        {other === undefined ? null : (
          <button
            type="button"
            class="button button-plain"
            disabled={text.value.trim() === ''}
            onClick={() => void submit(other)}
          >
            {other === 'send' && use === 'steer' ? 'Send next' : BUTTONS[other]}
          </button>
        )}
        <button type="submit" class="button" disabled={text.value.trim() === '' || sending.value}>
          <Icon name="send" />
          <span class="only-wide">{BUTTONS[use]}</span>
          <span class="only-narrow hidden-visually">{BUTTONS[use]}</span>
        </button>
      </div>
    </form>
  );
}

function usesOf(actions: Conversation['actions']): readonly Use[] {
  return (['steer', 'send', 'resume', 'fork'] as const).filter((use) => actions.includes(use)).slice(0, 2);
}

function actionOf(use: Use, text: string): Action {
  return { action: use, text };
}

function closedNote({ kind, state }: Conversation): string {
  if (kind === 'recording')
    return state === 'failed' ? '' : 'This is a recording. You can play it, but not send prompts.';
  return state === 'done' || state === 'failed'
    ? 'This conversation has ended.'
    : 'Read-only: nothing can be sent from here.';
}

/** Grows with its text, up to a third of the window height. */
function fit(field: HTMLTextAreaElement | null): void {
  if (field === null) return;
  field.style.height = 'auto';
  field.style.height = `${Math.min(field.scrollHeight, window.innerHeight / 3)}px`;
}
