import type { Conversation } from './conversation.ts';

/** The session is running, waits for a decision of its host, or is idle. */
export type SessionState = 'running' | 'requires_action' | 'idle';

/** Reports the state of the session, if the host requested reports. */
export function reportState(conversation: Conversation, state: SessionState, how: { again?: boolean } = {}): void {
  if (conversation.world.env.CLAUDE_CODE_SDK_READS_SESSION_STATE !== '1') return;
  if (conversation.state === state && how.again !== true) return;
  if (conversation.state === undefined && state === 'idle') return;
  conversation.state = state;
  conversation.emit({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true });
}
