import type { Database } from '../database/database.ts';
import { DatabaseUnavailableError } from '../errors.ts';
import { pastDate } from './input.ts';

/** The limits of what to remove: each a date, or an age in milliseconds, such as `30 * 24 * 3_600_000`. */
export interface PruneOptions {
  /** Removes the events, approvals and rows of turns that ended before this, and the log. Transcripts stay. */
  readonly turnsBefore?: Date | number | undefined;
  /** Removes whole conversations, including transcripts, that have had no turn since and have none waiting or running. */
  readonly conversationsBefore?: Date | number | undefined;
  /** Removes records of the audit of approvals. Only the owner of the tables may; nothing else ever removes one. */
  readonly auditBefore?: Date | number | undefined;
}

/** The names of the options. */
export const PRUNE_OPTIONS: Readonly<Record<keyof PruneOptions, true>> = {
  turnsBefore: true,
  conversationsBefore: true,
  auditBefore: true,
};

/** The numbers of removed rows. */
export interface PruneReport {
  readonly turns: number;
  readonly events: number;
  readonly approvals: number;
  readonly conversations: number;
  readonly entries: number;
  readonly logged: number;
  readonly audited: number;
}

/** Maximum number of rows per transaction, so that other work is not blocked. */
const BATCH = 500;

/** Removes only what is older than the given limits. @throws FleetInputError */
export async function prune(
  database: Database,
  { turnsBefore, conversationsBefore, auditBefore }: PruneOptions,
): Promise<PruneReport> {
  const conversations =
    conversationsBefore === undefined ? undefined : pastDate('conversationsBefore', conversationsBefore);
  const turns = turnsBefore === undefined ? undefined : pastDate('turnsBefore', turnsBefore);
  const audit = auditBefore === undefined ? undefined : pastDate('auditBefore', auditBefore);
  const [conversationLimit, turnLimit, auditLimit] = [
    await limitOf(database, conversationsBefore, conversations),
    await limitOf(database, turnsBefore, turns),
    await limitOf(database, auditBefore, audit),
  ];
  const report = { turns: 0, events: 0, approvals: 0, conversations: 0, entries: 0, logged: 0, audited: 0 };
  if (conversationLimit !== undefined) await inBatches(database, PRUNE_CONVERSATIONS, conversationLimit, report);
  if (turnLimit !== undefined) {
    await inBatches(database, PRUNE_TURNS, turnLimit, report);
    await inBatches(database, PRUNE_LOG, turnLimit, report);
    await database.query(PRUNE_GROUPS, [turnLimit]);
  }
  if (auditLimit !== undefined) await inBatches(database, PRUNE_AUDIT, auditLimit, report);
  return report;
}

/** Converts an age to a date by the clock of the database, which stored the times: the clock of this machine may be wrong. */
async function limitOf(
  database: Database,
  given: Date | number | undefined,
  checked: Date | undefined,
): Promise<Date | undefined> {
  if (typeof given !== 'number') return checked;
  const [row] = await database.query<{ limit: Date }>(`select clock_timestamp() - $1 * interval '1 ms' as "limit"`, [
    given,
  ]);
  return row?.limit ?? checked;
}

type Counts = { -readonly [K in keyof PruneReport]: number };

function removeBatch(database: Database, statement: string, values: readonly unknown[]): Promise<Counts[]> {
  return database.transaction(async (sql) => {
    if (statement === PRUNE_AUDIT) await sql.query(`set local coxswain.prune_audit to 'on'`);
    return sql.query<Counts>(statement, values);
  });
}

async function inBatches(database: Database, statement: string, before: Date, report: Counts): Promise<void> {
  for (let size = BATCH; ; ) {
    const [removed] = await removeBatch(database, statement, [before, size]).catch((error: unknown) => {
      if (size === 1 || !isTimeout(error)) throw error;
      return [];
    });
    if (removed === undefined) {
      // Each of these rows has many others, such as the messages of a long turn.
      size = Math.ceil(size / 4);
      continue;
    }
    for (const [name, count] of Object.entries(removed)) {
      // The statements name their columns as the report does.
      if (name in report) report[name as keyof Counts] += count;
    }
    const { turns = 0, conversations = 0, logged = 0, audited = 0 } = removed;
    if (Math.max(turns, conversations, logged, audited) < size) return;
  }
}

/** True if a statement was cancelled, because it took too long. */
function isTimeout(error: unknown): boolean {
  return error instanceof DatabaseUnavailableError && error.reason === '57014';
}

const PRUNE_TURNS = `
  with old as (select id from @.turn where state = 'done' and ended_at < $1 order by ended_at limit $2 for update skip locked),
  events as (delete from @.event where turn in (select id from old) returning 1),
  approvals as (delete from @.approval where turn in (select id from old) returning 1),
  turns as (delete from @.turn where id in (select id from old) returning 1)
  select (select count(*) from turns) as turns, (select count(*) from events) as events, (select count(*) from approvals) as approvals`;

/** A group has no content: what is removed are its turns. */
const PRUNE_GROUPS = `
  delete from @.turn_group g where created_at < $1 and not exists (select 1 from @.turn where group_id = g.id)`;

const PRUNE_LOG = `
  with old as (select n from @.log where at < $1 limit $2),
  logged as (delete from @.log where n in (select n from old) returning 1)
  select (select count(*) from logged) as logged`;

/** The trigger of the table lets only this transaction of its owner delete. */
const PRUNE_AUDIT = `
  with old as (select n from @.approval_audit where at < $1 limit $2),
  audited as (delete from @.approval_audit where n in (select n from old) returning 1)
  select (select count(*) from audited) as audited`;

const PRUNE_CONVERSATIONS = `
  with old as (
    select key from @.conversation c where updated_at < $1 and owner is null
      and not exists (select 1 from @.turn t where t.key = c.key and (t.state <> 'done' or t.ended_at >= $1))
    order by updated_at limit $2 for update skip locked
  ),
  events as (delete from @.event where key in (select key from old) returning 1),
  approvals as (delete from @.approval where key in (select key from old) returning 1),
  entries as (delete from @.entry where key in (select key from old) returning 1),
  blobs as (delete from @.blob where key in (select key from old) returning 1),
  turns as (delete from @.turn where key in (select key from old) returning 1),
  conversations as (delete from @.conversation where key in (select key from old) and (select count(*) from turns) >= 0 returning 1)
  select (select count(*) from conversations) as conversations, (select count(*) from turns) as turns,
         (select count(*) from entries) as entries, (select count(*) from events) as events, (select count(*) from approvals) as approvals`;
