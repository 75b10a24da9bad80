import { createHash } from 'node:crypto';
import { DEFAULT_AGENT } from '../agent/agent-name.ts';
import type { Database, Transaction } from '../database/database.ts';
import { JOBS, notify } from '../database/log.ts';
import { SubmissionError } from '../errors.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversations } from '../queue/wake.ts';
import { uuid7 } from '../turn/uuid7.ts';
import { MAX_JSON_BYTES, problemOfName } from './input.ts';
import { type CheckedSubmission, type ConversationOwner, checkOwner, checkSubmission, refusedAt } from './submit.ts';

/** Turns that are submitted together. */
export interface CheckedGroup {
  readonly id: string;
  readonly turns: readonly CheckedSubmission[];
}

/** The most turns of one group: they are stored in one transaction, which locks their conversations. */
const MAX_GROUP_TURNS = 1_000;

/**
 * Checks the submissions of a group. Without an id, the group gets one that follows from the ids of its turns, if all have one, so that
 * submitting them again finds it. @throws SubmissionError
 */
export function checkGroup(submissions: unknown, group: string | undefined): CheckedGroup {
  if (!Array.isArray(submissions) || submissions.length === 0 || submissions.length > MAX_GROUP_TURNS)
    throw new SubmissionError('submissions', `must be a list of 1 to ${MAX_GROUP_TURNS} submissions.`);
  const problem = group === undefined ? undefined : (problemOfName(group) ?? problemOfLength(group));
  if (problem !== undefined) throw new SubmissionError('group', problem);
  const given: readonly unknown[] = submissions;
  const turns = given.map((submission, index) => checkedAt(submission, index, group));
  const places = new Map<string, number>();
  for (const [index, { id }] of turns.entries()) {
    if (places.has(id))
      throw new SubmissionError(`submissions[${index}].id`, `is that of submissions[${places.get(id)}], too.`);
    places.set(id, index);
  }
  const bytes = turns.reduce(
    (sum, { prompt, data }) => sum + Buffer.byteLength(prompt) + Buffer.byteLength(data ?? ''),
    0,
  );
  if (bytes > MAX_JSON_BYTES)
    throw new SubmissionError('submissions', `must not exceed ${MAX_JSON_BYTES} bytes as JSON, all together.`);
  return { id: group ?? groupIdOf(given, turns), turns };
}

/** The ids of its turns have a number at the end. */
function problemOfLength(group: string): string | undefined {
  return Buffer.byteLength(group) > 450 ? 'must not be longer than 450 bytes.' : undefined;
}

function checkedAt(submission: unknown, index: number, group: string | undefined): CheckedSubmission {
  try {
    const numbered = group !== undefined && !hasId(submission) && typeof submission === 'object' && submission !== null;
    return checkSubmission(numbered ? { ...submission, id: `${group}-${index + 1}` } : submission);
  } catch (error) {
    throw refusedAt(index, error);
  }
}

function hasId(submission: unknown): boolean {
  return typeof submission === 'object' && submission !== null && 'id' in submission && submission.id !== undefined;
}

function groupIdOf(given: readonly unknown[], turns: readonly CheckedSubmission[]): string {
  if (!given.every(hasId)) return uuid7();
  const ids = JSON.stringify(turns.map(({ id }) => id));
  return createHash('sha256').update(ids).digest('hex').slice(0, 32);
}

/** Stores all turns of a group and their jobs in one transaction, or none. Returns false if they were already stored. @throws SubmissionError */
export async function storeGroup(
  database: Database,
  queue: Queue,
  group: CheckedGroup,
  withinMs: number | undefined,
): Promise<boolean> {
  return database.transaction((sql) => storeGroupIn(sql, database.schema, queue, group), { withinMs });
}

async function storeGroupIn(
  sql: Transaction,
  schema: string,
  queue: Queue,
  { id, turns }: CheckedGroup,
): Promise<boolean> {
  const created = await sql.query(
    'insert into @.turn_group (id, size) values ($1, $2) on conflict (id) do nothing returning 1',
    [id, turns.length],
  );
  if (created.length === 0) {
    await checkSame(sql, { id, turns });
    return false;
  }
  const conversations = await addConversations(sql, turns);
  await insertTurns(sql, id, turns, conversations);
  await sql.query(
    `insert into @.log (kind, key, turn) select 'turn-submitted', key, id from unnest($1::text[], $2::text[]) as t (key, id)`,
    [turns.map(({ key }) => key), turns.map((turn) => turn.id)],
  );
  // A worker that owns a conversation queues the next turn when it releases the conversation.
  const idle = [...conversations.values()].filter(({ owner }) => owner === null);
  if (await wakeConversations(sql, queue, idle)) await notify(sql, schema, JOBS);
  return true;
}

/** @throws SubmissionError if the group has other turns */
async function checkSame(sql: Transaction, { id, turns }: CheckedGroup): Promise<void> {
  const [group] = await sql.query<{ size: number }>('select size from @.turn_group where id = $1', [id]);
  if (group?.size !== turns.length) throw new SubmissionError('group', 'belongs to a group with other turns.');
  // Turns that were pruned are missing.
  const [other] = await sql.query<{ n: number }>(
    `select given.n from unnest($1::text[], $2::text[], $3::text[], $4::text[]) with ordinality as given (id, key, prompt, data, n)
     join @.turn on turn.id = given.id
     where turn.group_id is distinct from $5 or turn.key <> given.key or turn.prompt::text <> given.prompt
       or turn.data::text is distinct from given.data
     order by n limit 1`,
    [
      turns.map((turn) => turn.id),
      turns.map(({ key }) => key),
      turns.map(({ prompt }) => prompt),
      turns.map(({ data }) => data),
      id,
    ],
  );
  if (other !== undefined)
    throw new SubmissionError(
      `submissions[${other.n - 1}].id`,
      'belongs to a turn with another key, prompt or data, or of another group.',
    );
  const [missing] = await sql.query<{ count: number }>(
    'select count(*) as count from @.turn where group_id = $1 and id <> all($2::text[])',
    [id, turns.map((turn) => turn.id)],
  );
  if ((missing?.count ?? 0) > 0) throw new SubmissionError('group', 'belongs to a group with other turns.');
}

interface ConversationRow extends ConversationOwner {
  readonly key: string;
  readonly owner: string | null;
  readonly turn_seq: number;
}

/** Locks the rows of the conversations in the order of their keys, so that two groups do not wait for each other, and numbers their turns. */
async function addConversations(
  sql: Transaction,
  turns: readonly CheckedSubmission[],
): Promise<ReadonlyMap<string, ConversationRow>> {
  const wanted = new Map<string, { first: CheckedSubmission; count: number }>();
  for (const turn of turns) {
    const { first = turn, count = 0 } = wanted.get(turn.key) ?? {};
    wanted.set(turn.key, { first, count: count + 1 });
  }
  const column = <V>(of: (one: { first: CheckedSubmission; count: number }) => V): V[] => [...wanted.values()].map(of);
  const rows = await sql.query<ConversationRow>(
    `insert into @.conversation (key, tenant, agent, turn_seq)
     select key, tenant, agent, turns from unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) as given (key, tenant, agent, turns)
     order by key
     on conflict (key) do update set turn_seq = conversation.turn_seq + excluded.turn_seq, updated_at = now()
     returning key, tenant, agent, owner, turn_seq`,
    [
      column(({ first }) => first.key),
      column(({ first }) => first.tenant),
      column(({ first }) => first.agent ?? DEFAULT_AGENT),
      column(({ count }) => count),
    ],
  );
  const found = new Map(rows.map((row) => [row.key, row]));
  for (const [index, turn] of turns.entries()) {
    try {
      checkOwner(found.get(turn.key), turn);
    } catch (error) {
      throw refusedAt(index, error);
    }
  }
  return found;
}

async function insertTurns(
  sql: Transaction,
  group: string,
  turns: readonly CheckedSubmission[],
  conversations: ReadonlyMap<string, ConversationRow>,
): Promise<void> {
  const last = new Map([...conversations].map(([key, { turn_seq }]) => [key, turn_seq]));
  const backwards = [...turns].reverse().map(({ key }) => {
    const seq = last.get(key) ?? 0;
    last.set(key, seq - 1);
    return seq;
  });
  const column = <F extends keyof CheckedSubmission>(field: F): CheckedSubmission[F][] =>
    turns.map((turn) => turn[field]);
  const stored = await sql.query<{ id: string }>(
    `insert into @.turn (group_id, group_n, id, key, seq, tenant, prompt, data, priority, start_after, traceparent, tracestate, submitted_by,
       attributes, max_usd, retry, agent)
     select $1, n, id, key, seq, tenant, prompt::json, data::json, priority, coalesce(start_after, now() + delay_ms * interval '1 ms'),
            traceparent, tracestate, by, attributes::jsonb, max_usd, retry::json, agent
     from unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::integer[], $9::timestamptz[], $10::float8[],
                 $11::text[], $12::text[], $13::text[], $14::text[], $15::float8[], $16::text[], $17::text[])
         with ordinality
       as given (id, key, seq, tenant, prompt, data, priority, start_after, delay_ms, traceparent, tracestate, by, attributes, max_usd, retry, agent, n)
     on conflict (id) do nothing returning id`,
    [
      group,
      column('id'),
      column('key'),
      backwards.reverse(),
      column('tenant'),
      column('prompt'),
      column('data'),
      column('priority'),
      column('startAfter').map((at) => at ?? null),
      column('delayMs'),
      column('traceparent'),
      column('tracestate'),
      column('by'),
      column('attributes'),
      column('maxUsd'),
      column('retry'),
      turns.map(({ key }) => conversations.get(key)?.agent ?? DEFAULT_AGENT),
    ],
  );
  if (stored.length === turns.length) return;
  const ids = new Set(stored.map(({ id }) => id));
  const index = turns.findIndex(({ id }) => !ids.has(id));
  throw new SubmissionError(`submissions[${index}].id`, 'belongs to a turn that is not of this group.');
}
