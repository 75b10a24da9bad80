import type { Conversation } from './conversation.ts';

/** Whether the session works, waits for its host to decide, or does nothing. */
export type SessionState = 'running' | 'requires_action' | 'idle';

/** Tells the host how the session stands, where it asked to be told. */
export function tellState(conversation: Conversation, state: SessionState, how: { again?: boolean } = {}): void {
  if (conversation.world.env.CLAUDE_CODE_SDK_READS_SESSION_STATE !== '1') return;
  if (conversation.state === state && how.again !== true) return;
  if (conversation.state === undefined && state === 'idle') return;
  conversation.state = state;
  conversation.emit({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true });
}
