import type { Replay } from 'coxswain';
import type { TurnState } from './turn-state.ts';

/** A turn whose worker died or lost its lease. */
export interface LostTurn {
  readonly state: TurnState;
  /** The number of workers that have claimed it. */
  readonly attempt: number;
  /** True if the model had begun to answer: tools may have run. */
  readonly answered: boolean;
  readonly cancelled: boolean;
  /** True if it waited for an approval with which another worker can resume it. */
  readonly resumable: boolean;
  /** True if its worker was resuming it. */
  readonly wasParked: boolean;
}

/** What happens to a lost turn. `none`: it had ended before. */
export type Fate = 'none' | 'again' | 'parked' | 'interrupted' | 'cancelled' | 'dead';

/**
 * Decides what happens to a lost turn. The next worker sends a prompt that was not sent; a prompt that was sent is only sent again
 * with permission, because the agent may have acted on it.
 */
export function fateOf(
  turn: LostTurn,
  maxAttempts: number,
  replay: Exclude<Replay, (...args: never) => unknown> | boolean,
): Fate {
  switch (turn.state) {
    case 'waiting':
    case 'parked':
    case 'done':
      return 'none';
    case 'claimed':
      if (turn.cancelled) return turn.wasParked ? 'interrupted' : 'cancelled';
      if (turn.resumable && turn.attempt < maxAttempts) return 'parked';
      if (turn.wasParked) return 'interrupted';
      return turn.attempt < maxAttempts ? 'again' : 'dead';
    case 'sent': {
      if (turn.cancelled) return 'interrupted';
      if (turn.resumable && turn.attempt < maxAttempts) return 'parked';
      if (turn.wasParked) return 'interrupted';
      const allowed = replay === true || (replay === 'unanswered' && !turn.answered);
      // The agent may have acted on the prompt, so the turn is not `dead` after its last attempt.
      return allowed && turn.attempt < maxAttempts ? 'again' : 'interrupted';
    }
  }
}
