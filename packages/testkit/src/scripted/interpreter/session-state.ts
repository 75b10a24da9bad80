import type { JsonObject } from '../../json.ts';
import type { World } from './effects.ts';

/** Whether the session is running, waits for a decision of its host, or is idle. */
export type SessionState = 'running' | 'requires_action' | 'idle';

/** A session that reports its state. */
interface Reporter {
  readonly world: Pick<World, 'env'>;
  state: SessionState | undefined;
  emit(frame: JsonObject): void;
}

/** Reports the session's state, if the host asked for reports. */
export function tellState(session: Reporter, state: SessionState, how: { again?: boolean } = {}): void {
  if (session.world.env.CLAUDE_CODE_SDK_READS_SESSION_STATE !== '1') return;
  if (session.state === state && how.again !== true) return;
  if (session.state === undefined && state === 'idle') return;
  session.state = state;
  session.emit({ type: 'system', subtype: 'session_state_changed', state, sdk_host_only: true });
}
