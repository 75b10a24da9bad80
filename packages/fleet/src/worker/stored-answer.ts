import type { PermissionDecision } from 'coxswain';
import type { Transaction } from '../database/database.ts';
import { ApprovalHashError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';

/** An answer for the agent, as stored in the database. */
export interface StoredAnswer {
  readonly turn: string;
  readonly request_id: string;
  readonly state: 'answered' | 'expired';
  readonly answer: PermissionDecision | null;
  /** The stored text of the answer. */
  readonly stored: string | null;
  /** The hash of what its author saw. */
  readonly answer_hash: string | null;
  readonly deny_reason: string | null;
}

/** Reads the answers that have not reached the agents of turns, also the denials of approvals that have expired. */
export const SELECT_ANSWERS = `select turn, request_id, state, answer, answer::text as stored, answer_hash, deny_reason
  from @.approval where turn = any($1) and state in ('answered', 'expired') and not delivered`;

/** The approval of a request that waits for an answer. */
export interface OpenApproval {
  readonly id: string;
  readonly hash: string;
}

/** The answer itself stays: only approvers may change it. */
export const REOPEN: string = `state = 'pending', delivered = false`;

/** Sets the timer of an approval that was opened again: the one before may have found it answered, and is over. */
export function timeAgain(sql: Transaction, queue: Queue, approval: string): Promise<void> {
  return queue.setTimer(sql, approval, 0);
}

/** The decision for the agent. @throws ApprovalHashError if the author of the answer saw something else than what the agent asks for */
export function decisionOf(given: StoredAnswer, { id, hash }: OpenApproval): PermissionDecision {
  const { state, answer, answer_hash: seen, deny_reason: reason } = given;
  if (state === 'expired' || answer === null) return { decision: 'deny', reason: reason ?? '' };
  if (seen !== hash) throw new ApprovalHashError({ id, given: seen ?? 'none' });
  return answer;
}
