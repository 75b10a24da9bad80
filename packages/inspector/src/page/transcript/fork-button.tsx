import type { ComponentChild } from 'preact';
import type { EntryHead, PromptEntry } from '../../api.ts';
import { forkable, forkFrom } from '../conversation/fork-from.ts';
import { Icon } from '../layout/icon.tsx';

/** Below a prompt: edits it in a copy. Nothing comes before the first prompt, so it has none. */
export function ForkButton({ prompt }: { readonly prompt: PromptEntry & EntryHead }): ComponentChild {
  const conversation = forkable.value;
  if (conversation === null || prompt.from !== 'user' || prompt.n < 2) return null;
  return (
    <button
      type="button"
      class="button button-plain button-icon fork-button"
      aria-label="Edit this prompt in a copy"
      title="Edit this prompt in a copy"
      onClick={() => (forkFrom.value = { conversation, prompt })}
    >
      <Icon name="agent" />
    </button>
  );
}
