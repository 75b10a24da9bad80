import type { ComponentChild } from 'preact';
import type { ConversationState } from '../../api.ts';
import { Icon } from './icon.tsx';

const WORDS: Readonly<Record<ConversationState, string>> = {
  'needs-me': 'Needs you',
  running: 'Running',
  waiting: 'Waiting',
  idle: 'Idle',
  done: 'Done',
  failed: 'Failed',
};

/** A state as an icon and a word. */
export function Status({ state }: { readonly state: ConversationState }): ComponentChild {
  return (
    <span class={`status status-${state}`}>
      <Icon name={state} />
      {WORDS[state]}
    </span>
  );
}
