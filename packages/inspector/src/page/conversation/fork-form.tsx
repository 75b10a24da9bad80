import { useSignal } from '@preact/signals';
import type { ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EntryHead, PromptEntry } from '../../api.ts';
import { act, getText } from '../connection/http.ts';
import { Icon } from '../layout/icon.tsx';
import { attempt, notify } from '../layout/toasts.tsx';
import { showConversation } from '../route.ts';
import { forkFrom } from './fork-from.ts';

/** Edits a prompt, and sends it in a copy of the conversation that ends before it. */
export function ForkForm({
  conversation,
  prompt,
}: {
  readonly conversation: string;
  readonly prompt: PromptEntry & EntryHead;
}): ComponentChild {
  const text = useSignal(prompt.text.text);
  const sending = useSignal(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    field.current?.focus();
    const { more } = prompt.text;
    if (more !== null) void attempt(async () => (text.value = await getText(more)));
  }, []);
  const close = (): void => {
    forkFrom.value = null;
  };
  const submit = async (): Promise<void> => {
    if (sending.value || text.value.trim() === '') return;
    sending.value = true;
    await attempt(async () => {
      const { conversation: copy } = await act(conversation, { action: 'fork', text: text.value, before: prompt.n });
      close();
      notify('This is the copy. It continues with your prompt.');
      if (copy !== null) showConversation(copy);
    });
    sending.value = false;
  };
  return (
    <form
      class="composer fork-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <p class="small quiet">
        A copy ends before this prompt and continues with yours. This conversation and the files stay as they are.
      </p>
      <textarea
        ref={field}
        class="field"
        rows={4}
        dir="auto"
        aria-label="The prompt of the copy"
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') close();
        }}
      />
      <div class="fork-buttons">
        <button type="button" class="button button-plain" onClick={close}>
          Cancel
        </button>
        <button type="submit" class="button" disabled={sending.value || text.value.trim() === ''}>
          <Icon name="send" />
          Fork with this prompt
        </button>
      </div>
    </form>
  );
}
