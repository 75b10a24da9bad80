import type { ComponentChild } from 'preact';
import type { Conversation, ConversationState, Outcome } from '../../api.ts';
import { isFailure } from '../../conversations/outcome.ts';
import { Icon, type IconName } from './icon.tsx';

const STATES: Readonly<Record<ConversationState, string>> = {
  'needs-me': 'Needs you',
  running: 'Running',
  waiting: 'Waiting',
  idle: 'Idle',
  done: 'Done',
  failed: 'Failed',
};

/** The icon and label of each outcome. */
const OUTCOMES: Readonly<Record<Outcome, readonly [IconName, string]>> = {
  completed: ['done', 'Done'],
  failed: ['failed', 'Failed'],
  interrupted: ['stop', 'Interrupted'],
  limit: ['failed', 'Limit reached'],
  parked: ['pause', 'Parked'],
  waiting: ['waiting', 'Waiting'],
};

/** A conversation as an icon and a word: what it is doing, or else how its last turn ended. */
export function Status({ state, outcome }: Pick<Conversation, 'state' | 'outcome'>): ComponentChild {
  const isOver = state === 'idle' || state === 'done' || state === 'failed';
  if (isOver && outcome !== null && outcome !== 'completed') return <Ended outcome={outcome} />;
  return (
    <span class={`status status-${state}`}>
      <Icon name={state} />
      {STATES[state]}
    </span>
  );
}

/** An outcome as an icon and a word; failures are red. */
export function Ended({ outcome }: { readonly outcome: Outcome }): ComponentChild {
  const [icon, word] = OUTCOMES[outcome];
  return (
    <span class={`status ${isFailure({ outcome }) ? 'status-failed' : ''}`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
