import { type ErrorCode, isCoxswainError, type Outcome, outcomeOf, type ResultMessage, type TurnCost } from 'coxswain';
import type { PlainError } from 'coxswain/types';
import { messageOf, textOf } from './text-of.ts';

/** How a turn ended, as plain JSON, discriminated by `kind`. Every turn has exactly one outcome. */
export type TurnOutcome =
  | Exclude<Outcome, { readonly kind: 'interrupted' }>
  /** The prompt was sent, and the turn was cut off; its output so far is in the transcript. */
  | { readonly kind: 'interrupted'; readonly by: Interrupter; readonly message: string }
  /** The turn was cancelled before its prompt was sent. */
  | { readonly kind: 'cancelled'; readonly by: string; readonly message: string }
  /** The agent could not run, or failed. */
  | { readonly kind: 'failed'; readonly error: TurnError; readonly message: string }
  /** Every worker that claimed the turn died, the last one before it sent the prompt. `fleet.resend()` tries again. */
  | { readonly kind: 'dead'; readonly attempts: number; readonly message: string };

/** The error of a turn as plain JSON. */
export interface TurnError {
  readonly name: string;
  readonly message: string;
  /** `agent-failed` for errors other than Coxswain's. */
  readonly code: ErrorCode | 'agent-failed';
  readonly [field: string]: unknown;
}

/** All kinds of outcomes. */
export const OUTCOME_KINDS: readonly string[] = Object.keys({
  completed: true,
  interrupted: true,
  cancelled: true,
  failed: true,
  dead: true,
  'max-turns': true,
  budget: true,
  'stopped-by-hook': true,
  deferred: true,
  'tool-unavailable': true,
  refused: true,
  'context-full': true,
  'no-such-session': true,
  auth: true,
  'rate-limit': true,
  'api-error': true,
  'structured-output': true,
  'execution-error': true,
  unknown: true,
} satisfies Record<TurnOutcome['kind'], true>);

/**
 * The cause of an interruption: `cancel()`, a worker that had to stop, the death of a worker, a database that could not be written in
 * time, or the agent itself.
 */
export type Interrupter = 'cancel' | 'drain' | 'worker-lost' | 'database' | 'agent';

/** The facts about a turn that has ended on its worker. */
export interface TurnEnd {
  readonly result?: ResultMessage | undefined;
  readonly error?: unknown;
  /** True if the prompt was sent to the agent. */
  readonly sent: boolean;
  readonly cancelledBy?: string | undefined;
  readonly draining?: boolean | undefined;
  /** True if the worker ended the agent because the database failed. */
  readonly database?: boolean | undefined;
}

/** The outcome of a turn that has ended on its worker. */
export function outcomeOfEnd({ result, error, sent, cancelledBy, draining, database }: TurnEnd): TurnOutcome {
  if (database === true && sent) return { kind: 'interrupted', by: 'database', message: DATABASE_FAILED };
  const outcome = result === undefined ? undefined : outcomeOf(result);
  // An agent may finish before an interrupt reaches it.
  if (outcome !== undefined && outcome.kind !== 'interrupted') return outcome;
  if (!sent && cancelledBy !== undefined) {
    return { kind: 'cancelled', by: cancelledBy, message: 'The turn was cancelled before its prompt was sent.' };
  }
  const message = outcome?.message ?? '';
  if (cancelledBy !== undefined) return { kind: 'interrupted', by: 'cancel', message };
  if (draining === true) return { kind: 'interrupted', by: 'drain', message };
  if (outcome !== undefined) return { kind: 'interrupted', by: 'agent', message };
  if (isCoxswainError(error, 'parked-request') && (error.problem === 'answered' || error.problem === 'finished')) {
    return { kind: 'interrupted', by: 'worker-lost', message: error.message };
  }
  const failure: TurnError = { code: 'agent-failed', ...plainErrorOf(error) };
  return { kind: 'failed', error: failure, message: failure.message };
}

const DATABASE_FAILED =
  'The worker could not reach the database in time, so it ended the agent before another worker could take the conversation. The output so far is in the transcript.';

/** The outcome of a turn whose output the database refuses to store. Has PostgreSQL's code, not its message, which may quote the output. */
export function refusedOutcome(code: string): TurnOutcome {
  const message = `The database refused to store the output of the agent (${code}). It is missing from the transcript.`;
  return { kind: 'interrupted', by: 'database', message };
}

/** The message of a turn that was cancelled after its prompt was sent, while no worker had it. */
export function cancelledWhile(by: string, waitedFor: 'an approval' | 'its next attempt'): string {
  return `The turn was cancelled by ${by} while it waited for ${waitedFor}.`;
}

/** The outcome of a lost turn. */
export function lostOutcome(
  fate: 'interrupted' | 'cancelled' | 'dead',
  turn: { readonly attempt: number; readonly cancelledBy: string | null },
): TurnOutcome {
  switch (fate) {
    case 'dead':
      return {
        kind: 'dead',
        attempts: turn.attempt,
        message: `Every worker that claimed the turn died (attempts: ${turn.attempt}); the last one had not sent the prompt.`,
      };
    case 'cancelled':
      return {
        kind: 'cancelled',
        by: turn.cancelledBy ?? 'unknown',
        message: 'The turn was cancelled before its prompt was sent.',
      };
    case 'interrupted':
      return {
        kind: 'interrupted',
        by: turn.cancelledBy === null ? 'worker-lost' : 'cancel',
        message:
          'The worker died, or was suspended, while the agent worked on the prompt. The output so far is in the transcript.',
      };
  }
}

/** A turn that has ended. */
export interface EndedTurn {
  readonly id: string;
  readonly outcome: TurnOutcome;
  readonly costUsd: number;
  readonly cost: TurnCost | null;
}

/** An error as plain JSON. */
export function plainErrorOf(error: unknown): PlainError {
  if (isCoxswainError(error)) {
    const { name, message, code } = error;
    return { name, message, code };
  }
  return { name: error instanceof Error ? textOf(() => error.name) : 'Error', message: messageOf(error) };
}
