/**
 * The state of a turn. `claimed`: a worker has it, and has not sent the prompt. `sent`: the agent may have acted on the prompt.
 * `parked`: an approval is open, and no worker and no process waits for it.
 */
export type TurnState = 'waiting' | 'claimed' | 'sent' | 'parked' | 'done';

export const TURN_STATES: readonly TurnState[] = ['waiting', 'claimed', 'sent', 'parked', 'done'];

/** The effect of `cancel()` on a turn: remove it from the queue, interrupt the agent, or none. */
export function cancelEffect(state: TurnState): 'take-out' | 'interrupt' | 'too-late' {
  if (state === 'waiting') return 'take-out';
  return state === 'done' ? 'too-late' : 'interrupt';
}
