import type { Database } from '../database/database.ts';
import { pastDate } from './input.ts';

/** The limits of what to remove: each a date, or an age in milliseconds, such as `30 * 24 * 3_600_000`. */
export interface PruneOptions {
  /** Removes the events, approvals and rows of turns that ended before this, and the log. Transcripts stay. */
  readonly turnsBefore?: Date | number | undefined;
  /** Removes whole conversations, including transcripts, that have had no turn since and have none waiting or running. */
  readonly conversationsBefore?: Date | number | undefined;
}

/** The numbers of removed rows. */
export interface PruneReport {
  readonly turns: number;
  readonly events: number;
  readonly approvals: number;
  readonly conversations: number;
  readonly entries: number;
  readonly logged: number;
}

/** Maximum number of rows per transaction, so that other work is not blocked. */
const BATCH = 500;

/** Removes only what is older than the given limits. @throws FleetInputError */
export async function prune(
  database: Database,
  { turnsBefore, conversationsBefore }: PruneOptions,
): Promise<PruneReport> {
  const conversations =
    conversationsBefore === undefined ? undefined : pastDate('conversationsBefore', conversationsBefore);
  const turns = turnsBefore === undefined ? undefined : pastDate('turnsBefore', turnsBefore);
  const [conversationLimit, turnLimit] = [
    await limitOf(database, conversationsBefore, conversations),
    await limitOf(database, turnsBefore, turns),
  ];
  const report = { turns: 0, events: 0, approvals: 0, conversations: 0, entries: 0, logged: 0 };
  if (conversationLimit !== undefined) await inBatches(database, PRUNE_CONVERSATIONS, conversationLimit, report);
  if (turnLimit !== undefined) {
    await inBatches(database, PRUNE_TURNS, turnLimit, report);
    await inBatches(database, PRUNE_LOG, turnLimit, report);
  }
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

async function inBatches(database: Database, statement: string, before: Date, report: Counts): Promise<void> {
  for (;;) {
    const [removed] = await database.query<Counts>(statement, [before, BATCH]);
    for (const [name, count] of Object.entries(removed ?? {})) {
      // The statements name their columns as the report does.
      if (name in report) report[name as keyof Counts] += count;
    }
    if (removed === undefined || Math.max(removed.turns ?? 0, removed.conversations ?? 0, removed.logged ?? 0) < BATCH)
      return;
  }
}

const PRUNE_TURNS = `
  with old as (select id from @.turn where state = 'done' and ended_at < $1 order by ended_at limit $2 for update skip locked),
  events as (delete from @.event where turn in (select id from old) returning 1),
  approvals as (delete from @.approval where turn in (select id from old) returning 1),
  turns as (delete from @.turn where id in (select id from old) returning 1)
  select (select count(*) from turns) as turns, (select count(*) from events) as events, (select count(*) from approvals) as approvals`;

const PRUNE_LOG = `
  with old as (select n from @.log where at < $1 limit $2),
  logged as (delete from @.log where n in (select n from old) returning 1)
  select (select count(*) from logged) as logged`;

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
