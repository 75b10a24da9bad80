import type { Replay } from 'coxswain';

/** The state of a turn. `claimed`: a worker has it, and has not sent the prompt. `sent`: the agent may have acted on it. */
export type TurnState = 'waiting' | 'claimed' | 'sent' | 'done';

export const TURN_STATES: readonly TurnState[] = ['waiting', 'claimed', 'sent', 'done'];

/** What can happen to a turn. */
export type TurnEvent = 'claim' | 'send' | 'finish' | 'give-back' | 'cancel';

/** The state after an event; undefined where the event must not happen. */
export function afterEvent(state: TurnState, event: TurnEvent): TurnState | undefined {
  return TABLE[state][event];
}

const TABLE: Readonly<Record<TurnState, { readonly [E in TurnEvent]?: TurnState }>> = {
  waiting: { claim: 'claimed', cancel: 'done' },
  claimed: { send: 'sent', finish: 'done', 'give-back': 'waiting' },
  sent: { finish: 'done', 'give-back': 'waiting' },
  done: {},
};

/** A turn whose worker is gone. */
export interface LostTurn {
  readonly state: TurnState;
  /** How often a worker had it. */
  readonly attempt: number;
  /** The model had begun to answer: tools may have run. */
  readonly answered: boolean;
  readonly cancelled: boolean;
}

/** What becomes of a turn whose worker is gone. `none`: it had ended before. */
export type Fate = 'none' | 'again' | 'interrupted' | 'cancelled' | 'dead';

/**
 * Decides about a turn whose worker is gone. A prompt that was not sent is sent by the next worker; one that was sent is only
 * sent again with permission, because the agent may have acted on it.
 */
export function fateOf(
  turn: LostTurn,
  maxAttempts: number,
  replay: Exclude<Replay, (...args: never) => unknown> | boolean,
): Fate {
  switch (turn.state) {
    case 'waiting':
    case 'done':
      return 'none';
    case 'claimed':
      if (turn.cancelled) return 'cancelled';
      return turn.attempt < maxAttempts ? 'again' : 'dead';
    case 'sent': {
      if (turn.cancelled) return 'interrupted';
      const allowed = replay === true || (replay === 'unanswered' && !turn.answered);
      // The agent may have acted on the prompt, so it is not `dead` when no more attempts are left.
      return allowed && turn.attempt < maxAttempts ? 'again' : 'interrupted';
    }
  }
}

/** What `cancel` does to a turn: take it out of the queue, interrupt the agent, or nothing. */
export function cancelEffect(state: TurnState): 'take-out' | 'interrupt' | 'too-late' {
  if (state === 'waiting') return 'take-out';
  return state === 'done' ? 'too-late' : 'interrupt';
}
