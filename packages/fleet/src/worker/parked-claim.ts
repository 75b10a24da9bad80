import type { ParkedRequest, PermissionDecision } from 'coxswain';
import { recordAudit } from '../approval/audit.ts';
import type { Transaction } from '../database/database.ts';
import type { Queue } from '../queue/queue.ts';
import { decisionOf, REOPEN, type StoredAnswer, timeAgain } from './stored-answer.ts';

/** The approval with which a worker resumes a parked turn. */
export interface ParkedClaim {
  readonly approval: string;
  /** The id of the request when it was made; a CLI that asks again uses another one. */
  readonly requestId: string;
  readonly parked: ParkedRequest;
  readonly answer: Exclude<PermissionDecision, { decision: 'decideLater' }>;
  /** The stored text of the answer. */
  readonly stored: string | null;
  readonly state: StoredAnswer['state'];
}

interface DecidedRow extends StoredAnswer {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly hash: string;
  /** Null only in a row that was changed. */
  readonly parked: ParkedRequest | null;
}

/** The decided approval of a parked turn; undefined while it is open. An answer to something else opens it again. */
export async function parkedClaim(
  sql: Transaction,
  queue: Queue,
  { approval, worker }: { readonly approval: string; readonly worker: string },
): Promise<ParkedClaim | undefined> {
  const [row] = await sql.query<DecidedRow>(
    `select id, key, tenant, turn, request_id, state, answer, answer::text as stored, answer_hash, deny_reason, hash, parked
     from @.approval where id = $1 and state in ('answered', 'expired')`,
    [approval],
  );
  if (row === undefined) return undefined;
  const { id, hash, request_id: requestId, parked, stored, state } = row;
  const isFor = state === 'expired' || (row.answer_hash === hash && parked?.hash === hash);
  const answer = isFor ? decisionOf(row, { id, hash }) : undefined;
  // `answer()` stores only answers to what was asked; another row was changed.
  if (answer === undefined || answer.decision === 'decideLater') {
    await sql.query(`update @.approval set ${REOPEN} where id = $1`, [id]);
    await recordAudit(sql, row, { kind: 'reopened', worker, detail: { why: 'approval-hash' } });
    await timeAgain(sql, queue, id);
    return undefined;
  }
  return { approval: id, requestId, parked: parked ?? NOTHING, answer, stored, state };
}

/** A row that was changed. A session refuses to resume it, which ends the turn. */
const NOTHING = {} as ParkedRequest;

/** The type of the entry with which a session notes that it is about to answer a parked call. */
export const ANSWER_NOTE = 'coxswain-answered';

/** The approval with which a lost turn can be resumed: nothing was allowed yet, and the transcript has the call. */
export async function resumableApproval(sql: Transaction, turn: string): Promise<ResumableApproval | undefined> {
  const rows = await sql.query<Pick<DecidedRow, 'id' | 'key' | 'parked'> & { readonly decided: boolean }>(
    `select id, key, parked, state <> 'pending' as decided from @.approval
     where turn = $1 and parked is not null and state in ('pending', 'answered', 'expired') and not delivered
     order by state = 'pending', created_at`,
    [turn],
  );
  for (const { id, key, parked, decided } of rows) {
    if (parked !== null && !(await isNoted(sql, key, parked))) return { approval: id, decided };
  }
  return undefined;
}

/**
 * Whether a session has noted that it is about to allow the call. PostgreSQL cannot read fields of a line in which the agent wrote a
 * NUL or half a character, so only the beginning of the text is compared there.
 */
async function isNoted(sql: Transaction, key: string, { sessionId, request }: ParkedRequest): Promise<boolean> {
  const notes = await sql.query<{ line: { readonly toolUseId?: unknown } }>(
    `select line from @.entry where key = $1 and session_id = $2 and subpath = '' and starts_with(line::text, $3)`,
    [key, sessionId, `{"type":"${ANSWER_NOTE}"`],
  );
  return notes.some(({ line }) => line.toolUseId === request.toolUseId);
}

export interface ResumableApproval {
  readonly approval: string;
  readonly decided: boolean;
}
