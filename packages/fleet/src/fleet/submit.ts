import type { UserContent } from 'coxswain';
import type { Database, Transaction } from '../database/database.ts';
import { JOBS, logEvent, notify } from '../database/log.ts';
import { SubmissionError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { asJson, isStorable, problemOfName, problemOfText } from './input.ts';

/** A turn to submit. */
export interface Submission<Data = unknown> {
  /** The conversation. Its turns run one at a time, in the order of submission. */
  readonly key: string;
  readonly prompt: UserContent;
  /** Submitting the same id again returns the same turn. A new UUID by default. */
  readonly id?: string | undefined;
  /** Higher ones run first, among conversations; it does not reorder the turns of one. From -1000 to 1000, 0 by default. */
  readonly priority?: number | undefined;
  /** The account that quotas and costs count for. A conversation belongs to one tenant. `default` by default. */
  readonly tenant?: string | undefined;
  /** For the agent, as plain JSON. */
  readonly data?: Data | undefined;
  /** The turn does not run earlier: a date, or milliseconds from now. */
  readonly startAfter?: Date | number | undefined;
  /** The W3C trace context of the caller; that of the option `tracing` by default. */
  readonly traceparent?: string | undefined;
  /** What tracing systems add to `traceparent`; without that it is ignored. */
  readonly tracestate?: string | undefined;
  /** Who submitted it; kept with the turn. */
  readonly by?: string | undefined;
}

/** A submission that was checked. */
export interface CheckedSubmission {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly prompt: string;
  readonly data: string | null;
  readonly priority: number;
  readonly startAfter: Date | undefined;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly by: string | null;
  readonly resendOf: string | null;
}

/** Checks a submission. @throws SubmissionError */
export function checkSubmission(given: Submission, now: number = Date.now()): CheckedSubmission {
  if (typeof given !== 'object' || given === null) throw new SubmissionError('submission', 'must be an object.');
  const { key, prompt, id = uuid7(), priority = 0, tenant = 'default', data, startAfter, by } = given;
  const { traceparent = null, tracestate = null } = given;
  checkName('key', key);
  checkName('id', id);
  checkName('tenant', tenant);
  if (typeof prompt !== 'string' && !Array.isArray(prompt))
    throw new SubmissionError('prompt', 'must be a text or content blocks.');
  if (Array.isArray(prompt) && !prompt.every((block) => typeof block === 'object' && typeof block?.type === 'string'))
    throw new SubmissionError('prompt', 'must consist of content blocks, which have a type.');
  if (prompt.length === 0) throw new SubmissionError('prompt', 'must not be empty.');
  if (!Number.isInteger(priority) || Math.abs(priority) > 1_000)
    throw new SubmissionError('priority', 'must be a whole number from -1000 to 1000.');
  const due = typeof startAfter === 'number' ? new Date(now + startAfter) : startAfter;
  if (due !== undefined && !isStorable(due))
    throw new SubmissionError('startAfter', 'must be a valid date before the year 10000, or milliseconds.');
  for (const [field, text] of Object.entries({ by, traceparent, tracestate })) {
    const problem = text === undefined || text === null ? undefined : problemOfText(text);
    if (problem !== undefined) throw new SubmissionError(field, problem);
  }
  return {
    id,
    key,
    tenant,
    prompt: plainJson('prompt', prompt),
    data: data === undefined ? null : plainJson('data', data),
    priority,
    startAfter: due,
    traceparent,
    tracestate: traceparent === null ? null : tracestate,
    by: by ?? null,
    resendOf: null,
  };
}

/** Stores a turn and its job in one transaction. False if the turn was there before. @throws SubmissionError */
export async function storeSubmission(database: Database, queue: Queue, turn: CheckedSubmission): Promise<boolean> {
  return database.transaction((sql) => storeSubmissionIn(sql, database.schema, queue, turn));
}

/** The same in an open transaction. */
export async function storeSubmissionIn(
  sql: Transaction,
  schema: string,
  queue: Queue,
  turn: CheckedSubmission,
): Promise<boolean> {
  // The row of the conversation is locked from here on, so that the numbers of its turns have no gaps and no doubles.
  const [conversation] = await sql.query<{ turn_seq: number; tenant: string; owner: string | null }>(
    `insert into @.conversation (key, tenant, turn_seq) values ($1, $2, 1)
     on conflict (key) do update set turn_seq = conversation.turn_seq + 1, updated_at = now()
     returning turn_seq, tenant, owner`,
    [turn.key, turn.tenant],
  );
  if (conversation?.tenant !== turn.tenant)
    throw new SubmissionError('tenant', 'is not the tenant of this conversation.');
  const stored = await sql.query(
    `insert into @.turn (id, key, seq, tenant, prompt, data, priority, start_after, traceparent, tracestate, resend_of, submitted_by)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now()), $9, $10, $11, $12)
     on conflict (id) do nothing returning 1`,
    [
      turn.id,
      turn.key,
      conversation.turn_seq,
      turn.tenant,
      turn.prompt,
      turn.data,
      turn.priority,
      turn.startAfter ?? null,
      turn.traceparent,
      turn.tracestate,
      turn.resendOf,
      turn.by,
    ],
  );
  if (stored.length === 0) {
    const [same] = await sql.query<{ key: string }>('select key from @.turn where id = $1', [turn.id]);
    if (same?.key !== turn.key) throw new SubmissionError('id', 'belongs to a turn of another conversation.');
    await sql.query('update @.conversation set turn_seq = turn_seq - 1 where key = $1', [turn.key]);
    return false;
  }
  await logEvent(sql, 'turn-submitted', { key: turn.key, turn: turn.id });
  // A worker that has the conversation sees to its next turn when it lets go.
  if (conversation.owner === null && (await wakeConversation(sql, queue, turn))) await notify(sql, schema, JOBS);
  return true;
}

function checkName(field: string, value: unknown): void {
  const problem = problemOfName(value);
  if (problem !== undefined) throw new SubmissionError(field, problem);
}

function plainJson(field: string, value: unknown): string {
  const text = asJson(value);
  if (text === undefined) throw new SubmissionError(field, 'must be plain JSON.');
  return text;
}
