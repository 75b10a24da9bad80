import { signal } from '@preact/signals';
import type { EntryHead, PromptEntry } from '../../api.ts';

/** The open conversation, if it can be forked. */
export const forkable = signal<string | null>(null);

/** The prompt that a person edits, to send it in a copy of the conversation that ends before it. */
export const forkFrom = signal<{ readonly conversation: string; readonly prompt: PromptEntry & EntryHead } | null>(
  null,
);
