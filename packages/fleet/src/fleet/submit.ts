import type { UserContent } from 'coxswain';
import { DEFAULT_AGENT, problemOfAgentName } from '../agent/agent-name.ts';
import type { Database, Transaction } from '../database/database.ts';
import { JOBS, logEvent, notify } from '../database/log.ts';
import { SubmissionError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { checkedRetry, problemOfRetry, type RetryPolicy } from '../turn/retry-policy.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { type Attributes, attributesJson, problemOfAttributes } from './attributes.ts';
import { asJson, isStorable, MAX_JSON_BYTES, problemOfName, problemOfText } from './input.ts';

/** A turn to submit. */
export interface Submission<Data = unknown> {
  /** The conversation. Its turns run one at a time, in the order of submission. */
  readonly key: string;
  readonly prompt: UserContent;
  /** Submitting the same id again returns the same turn; another prompt or other data is refused. A new UUID by default. */
  readonly id?: string | undefined;
  /** Conversations with a higher priority run first; the turns of one conversation keep their order. From -1000 to 1000, 0 by default. */
  readonly priority?: number | undefined;
  /** The account for quotas and costs. A conversation belongs to one tenant. `default` by default. */
  readonly tenant?: string | undefined;
  /**
   * The name of the agent that runs the conversation, and for its first turn `default` by default. A conversation belongs to one agent, so
   * another name is refused; later turns need none.
   */
  readonly agent?: string | undefined;
  /** For the agent, as plain JSON. */
  readonly data?: Data | undefined;
  /** Earliest start of the turn: a date, or milliseconds from now. */
  readonly startAfter?: Date | number | undefined;
  /** The W3C trace context of the caller; that of the option `tracing` by default. */
  readonly traceparent?: string | undefined;
  /** The vendor part of the trace context; ignored without `traceparent`. */
  readonly tracestate?: string | undefined;
  /** The author of the submission; stored with the turn. */
  readonly by?: string | undefined;
  /** What lists can filter by: at most 16 names of up to 100 bytes, with texts of up to 500 bytes. They are shown in lists: no secrets. */
  readonly attributes?: Attributes | undefined;
  /** The most that the turn may cost, over all its attempts. The lowest of this, the agent's `maxBudgetUsd` and the tenant's quota counts. */
  readonly maxUsdPerTurn?: number | undefined;
  /** When the turn gets another attempt; `retry` of the agent by default, `{ attempts: 1 }` for none. */
  readonly retry?: RetryPolicy | undefined;
}

/** A checked submission, as it is stored. */
export interface CheckedSubmission {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  /** Null for the agent of the conversation. */
  readonly agent: string | null;
  readonly prompt: string;
  readonly data: string | null;
  readonly priority: number;
  readonly startAfter: Date | undefined;
  /** Delay after the submission is stored, by the clock of the database. */
  readonly delayMs: number;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly by: string | null;
  readonly resendOf: string | null;
  readonly attributes: string | null;
  readonly maxUsd: number | null;
  readonly retry: string | null;
}

/** Checks a submission and converts it for storage. @throws SubmissionError */
export function checkSubmission(given: unknown, now: number = Date.now()): CheckedSubmission {
  if (!isSubmission(given, now)) throw problemOf(given, now);
  const { key, prompt, id = uuid7(), priority = 0, tenant = 'default', agent = null, data, startAfter } = given;
  const { by = null, traceparent = null, tracestate = null, attributes, maxUsdPerTurn = null, retry } = given;
  return {
    id,
    key,
    tenant,
    agent,
    prompt: plainJson('prompt', prompt),
    data: data === undefined ? null : plainJson('data', data),
    priority,
    startAfter: typeof startAfter === 'number' ? undefined : startAfter,
    delayMs: typeof startAfter === 'number' ? startAfter : 0,
    traceparent,
    tracestate: traceparent === null ? null : tracestate,
    by,
    resendOf: null,
    attributes: attributes === undefined ? null : attributesJson(attributes),
    maxUsd: maxUsdPerTurn,
    retry: retry === undefined ? null : JSON.stringify(checkedRetry(retry)),
  };
}

/** True for a submission that can be stored. */
export function isSubmission(given: unknown, now: number = Date.now()): given is Submission {
  return problemOf(given, now) === undefined;
}

/** The problem with a submission, if any. */
function problemOf(given: unknown, now: number): SubmissionError | undefined {
  if (typeof given !== 'object' || given === null) return new SubmissionError('submission', 'must be an object.');
  const fields: { readonly [F in keyof Submission]?: unknown } = given;
  const unknown = Object.keys(fields).find((name) => !Object.hasOwn(FIELDS, name));
  if (unknown !== undefined)
    return new SubmissionError(
      unknown,
      `is not a field of a submission; use one of ${Object.keys(FIELDS).join(', ')}.`,
    );
  const { key, prompt, id = '-', priority = 0, tenant = '-', startAfter = 0, agent, by } = fields;
  const { traceparent, tracestate, attributes, maxUsdPerTurn: maxUsd, retry } = fields;
  const retryProblem = retry === undefined ? undefined : problemOfRetry(retry);
  const due = typeof startAfter === 'number' ? new Date(now + startAfter) : startAfter;
  const isWhole = typeof priority === 'number' && Number.isInteger(priority) && Math.abs(priority) <= 1_000;
  const problems: Readonly<Record<string, string | undefined>> = {
    key: problemOfName(key),
    id: problemOfName(id),
    tenant: problemOfName(tenant),
    agent: agent === undefined ? undefined : problemOfAgentName(agent),
    prompt: problemOfPrompt(prompt),
    priority: isWhole ? undefined : 'must be a whole number from -1000 to 1000.',
    startAfter: isStorable(due) ? undefined : 'must be a valid date before the year 10000, or milliseconds.',
    by: by == null ? undefined : problemOfText(by),
    traceparent: traceparent == null ? undefined : problemOfText(traceparent),
    tracestate: tracestate == null ? undefined : problemOfText(tracestate),
    attributes: attributes === undefined ? undefined : problemOfAttributes(attributes),
    maxUsdPerTurn: maxUsd === undefined || isAmount(maxUsd) ? undefined : 'must be a number of more than 0.',
    [`retry${retryProblem?.field ?? ''}`]: retryProblem?.problem,
  };
  for (const [field, problem] of Object.entries(problems))
    if (problem !== undefined) return new SubmissionError(field, problem);
  return undefined;
}

const FIELDS: Readonly<Record<keyof Submission, true>> = {
  key: true,
  prompt: true,
  id: true,
  priority: true,
  tenant: true,
  agent: true,
  data: true,
  startAfter: true,
  traceparent: true,
  tracestate: true,
  by: true,
  attributes: true,
  maxUsdPerTurn: true,
  retry: true,
};

function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}

function problemOfPrompt(prompt: unknown): string | undefined {
  if (typeof prompt !== 'string' && !Array.isArray(prompt)) return 'must be a text or content blocks.';
  if (Array.isArray(prompt) && !prompt.every((block) => typeof block === 'object' && typeof block?.type === 'string'))
    return 'must consist of content blocks with a type.';
  return prompt.length === 0 ? 'must not be empty.' : undefined;
}

/** Stores a turn and its job in one transaction. Returns false if the turn was already stored. @throws SubmissionError */
export async function storeSubmission(
  database: Database,
  queue: Queue,
  turn: CheckedSubmission,
  withinMs: number | undefined,
): Promise<boolean> {
  return database.transaction((sql) => storeSubmissionIn(sql, database.schema, queue, turn), { withinMs });
}

/** Stores a turn and its job in an open transaction. Returns false if the turn was already stored. @throws SubmissionError */
export async function storeSubmissionIn(
  sql: Transaction,
  schema: string,
  queue: Queue,
  turn: CheckedSubmission,
): Promise<boolean> {
  // Locks the conversation's row, so that the numbers of its turns have no gaps or duplicates.
  const [conversation] = await sql.query<ConversationOwner & { turn_seq: number; owner: string | null }>(
    `insert into @.conversation (key, tenant, turn_seq, agent) values ($1, $2, 1, $3)
     on conflict (key) do update set turn_seq = conversation.turn_seq + 1, updated_at = now()
     returning turn_seq, tenant, agent, owner`,
    [turn.key, turn.tenant, turn.agent ?? DEFAULT_AGENT],
  );
  checkOwner(conversation, turn);
  const stored = await sql.query(
    `insert into @.turn (id, key, seq, tenant, prompt, data, priority, start_after, traceparent, tracestate, resend_of, submitted_by,
       attributes, max_usd, retry, agent)
     values ($1, $2, $3, $4, $5, $6, $7, coalesce($8, now() + $13 * interval '1 ms'), $9, $10, $11, $12, $14, $15, $16, $17)
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
      turn.delayMs,
      turn.attributes,
      turn.maxUsd,
      turn.retry,
      conversation.agent,
    ],
  );
  if (stored.length === 0) {
    const [same] = await sql.query<{ key: string; equal: boolean; resend_of: string | null }>(
      'select key, prompt::text = $2 and data::text is not distinct from $3 as equal, resend_of from @.turn where id = $1',
      [turn.id, turn.prompt, turn.data],
    );
    if (same?.key !== turn.key) throw new SubmissionError('id', 'belongs to a turn of another conversation.');
    // Otherwise the caller would get an ended turn instead of a new one.
    if (same.resend_of !== turn.resendOf)
      throw new SubmissionError(
        'id',
        same.resend_of === null
          ? 'belongs to a turn that is not a resend.'
          : `belongs to a resend of the turn ${same.resend_of}.`,
      );
    if (!same.equal) throw new SubmissionError('id', 'belongs to a turn with another prompt or other data.');
    await sql.query('update @.conversation set turn_seq = turn_seq - 1 where key = $1', [turn.key]);
    return false;
  }
  await logEvent(sql, 'turn-submitted', { key: turn.key, turn: turn.id });
  // A worker that owns the conversation queues the next turn when it releases the conversation.
  if (conversation.owner === null && (await wakeConversation(sql, queue, turn))) await notify(sql, schema, JOBS);
  return true;
}

/** To whom a conversation belongs. */
export interface ConversationOwner {
  readonly tenant: string;
  readonly agent: string;
}

/** Checks that a turn belongs to the same as its conversation. @throws SubmissionError */
export function checkOwner<Found extends ConversationOwner>(
  found: Found | undefined,
  { tenant, agent }: Pick<CheckedSubmission, 'tenant' | 'agent'>,
): asserts found is Found {
  if (found?.tenant !== tenant) throw new SubmissionError('tenant', 'is not the tenant of this conversation.');
  if (agent !== null && agent !== found.agent)
    throw new SubmissionError('agent', `is not the agent of this conversation, which is "${found.agent}".`);
}

/** Content for an agent as JSON. @throws what `refuse` returns */
export function contentJson(
  field: string,
  content: unknown,
  refuse: (field: string, problem: string) => Error,
): string {
  const problem = problemOfPrompt(content);
  if (problem !== undefined) throw refuse(field, problem);
  return plainJson(field, content, refuse);
}

function plainJson(field: string, value: unknown, refuse = refusedSubmission): string {
  const text = asJson(value);
  if (text === undefined) throw refuse(field, 'must be plain JSON.');
  if (Buffer.byteLength(text) > MAX_JSON_BYTES) throw refuse(field, `must not exceed ${MAX_JSON_BYTES} bytes as JSON.`);
  return text;
}

/** The error of a submission in a list, with its place in the name of the field. */
export function refusedAt(index: number, error: unknown): unknown {
  return error instanceof SubmissionError
    ? new SubmissionError(`submissions[${index}].${error.field}`, error.problem)
    : error;
}

function refusedSubmission(field: string, problem: string): Error {
  return new SubmissionError(field, problem);
}
