import type { SessionOptions } from '../options/groups.ts';
import type { SessionState } from '../session/lifecycle.ts';
import type { Session } from '../session/session.ts';
import type { Pause } from './rate-limit.ts';

/** How a supervised session stands: like a session, and `restarting` from the death of a CLI until the next one is ready. */
export type SupervisedState = SessionState | 'restarting';

/**
 * A session that outlives its CLI: when that dies it is started again and takes the conversation up. The turn it was at
 * fails with `TurnInterruptedError`, all others go on.
 */
export interface SupervisedSession<T = unknown> extends Omit<Session<T>, 'state' | 'fork'> {
  readonly state: SupervisedState;
  /** Why no turn is sent at present, and until when: the API turned a request away. */
  readonly paused: Pause | undefined;
  /** How often the CLI was started again. */
  readonly restarts: number;
  /** Goes on in a copy of the conversation, in a supervised session of its own. @throws SessionNotForkableError, the start error */
  fork(options?: SessionOptions<T>): Promise<SupervisedSession<T>>;
}
