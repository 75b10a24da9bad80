import type { UserContent } from 'coxswain';
import type { FleetReplay } from '../agent/define-agent.ts';
import { AgentFunctionError } from '../errors.ts';
import { messageOf } from '../turn/text-of.ts';
import { guarded, unguarded } from './process-guard.ts';

/** A turn whose prompt was sent, and could be sent again. */
export interface SentTurn {
  readonly id: string;
  readonly prompt: UserContent;
  readonly attempt: number;
  readonly answered: boolean;
}

/** Calls the agent's `replay` to decide whether the prompt may be sent again. If it fails, the prompt is not sent. */
export function mayReplay(
  replay: Extract<FleetReplay, (...args: never) => unknown>,
  { id, prompt, attempt, answered }: SentTurn,
  onError: (error: unknown) => void,
): boolean {
  try {
    const guard = { name: 'replay', onFault: (error: unknown) => unguarded(() => onError(error)) };
    return guarded(guard, () => replay({ id, prompt, attempts: attempt, answered })) === true;
  } catch (error) {
    onError(
      new AgentFunctionError(
        'replay',
        `failed for the turn ${id}, so the prompt was not sent again: ${messageOf(error)}`,
      ),
    );
    return false;
  }
}
