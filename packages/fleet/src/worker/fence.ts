import type { Sql, Transaction } from '../database/database.ts';
import { LeaseLostError } from '../errors.ts';

/** The right of a claim to write to its conversation. */
export interface Fence {
  readonly key: string;
  readonly owner: string;
  readonly epoch: number;
  /** The random token of the claim. Owner and epoch could be used again after a crash or a failover that undid the claim. */
  readonly claim: string;
  /** Time for which the conversation stays with the worker after each write. */
  readonly leaseMs: number;
}

/** An event to store, with a body of JSON text. */
export interface NewEvent {
  readonly kind: string;
  readonly body: string;
}

/** A line of a transcript to store. */
export interface NewEntry {
  readonly sessionId: string;
  readonly subpath: string;
  readonly entryId: string;
  readonly line: string;
}

/** What a transaction may write after it has passed the fence. */
export interface FenceResult {
  /** When the request was sent: the start of the renewed lease, once the transaction is committed. */
  readonly requestedAt: number;
  readonly lastSeq: number;
  /** The number of events that are not stored yet, and the `seq` of the first of them. */
  readonly missing: number;
  readonly firstSeq: number;
  readonly watched: boolean;
}

/**
 * Checks the owner, the epoch and the claim, renews the lease and numbers the events, in one statement. Every transaction of a worker
 * begins with it and locks the row until its end; with a slow network the row may be locked most of the time, so the lease is renewed
 * here, too. `events` is the total number of events of this claim, and the row has the number of stored ones: a write that is repeated
 * because the response to its commit was lost stores nothing twice. `more` events are numbered in any case. @throws LeaseLostError
 */
export async function passFence(sql: Transaction, fence: Fence, events = 0, more = 0): Promise<FenceResult> {
  const requestedAt = performance.now();
  const [row] = await sql.query<{ event_seq: number; missing: number; watched: boolean | null }>(
    `update @.conversation set event_seq = event_seq + missing, written = written + missing, updated_at = now(),
       lease_until = clock_timestamp() + $7 * interval '1 ms'
     from (select greatest($5::bigint - written, 0) + $6::bigint as missing from @.conversation where key = $1 for update) stored
     where key = $1 and owner = $2 and epoch = $3 and claim = $4
     returning event_seq, missing, watched_until > clock_timestamp() as watched`,
    [fence.key, fence.owner, fence.epoch, fence.claim, events, more, fence.leaseMs],
  );
  if (row === undefined) throw new LeaseLostError(fence.key);
  const { event_seq, missing, watched } = row;
  return { requestedAt, missing, firstSeq: event_seq - missing + 1, lastSeq: event_seq, watched: watched === true };
}

/** Stores events under consecutive numbers. */
export async function insertEvents(
  sql: Sql,
  key: string,
  turn: string,
  firstSeq: number,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  await sql.query(
    `insert into @.event (key, seq, turn, kind, body)
     select $1, $2::bigint + e.n - 1, $3, e.kind, e.body::json from unnest($4::text[], $5::text[]) with ordinality as e (kind, body, n)`,
    [key, firstSeq, turn, events.map(({ kind }) => kind), events.map(({ body }) => body)],
  );
}

/** Stores lines of transcripts in order; skips lines that are already stored. */
export async function insertEntries(sql: Sql, key: string, entries: readonly NewEntry[]): Promise<void> {
  if (entries.length === 0) return;
  await sql.query(
    `insert into @.entry (key, session_id, subpath, entry_id, line)
     select $1, e.session_id, e.subpath, e.entry_id, e.line::json
     from unnest($2::text[], $3::text[], $4::text[], $5::text[]) with ordinality as e (session_id, subpath, entry_id, line, n)
     order by e.n on conflict (key, session_id, subpath, entry_id) do nothing`,
    [
      key,
      entries.map(({ sessionId }) => sessionId),
      entries.map(({ subpath }) => subpath),
      entries.map(({ entryId }) => entryId),
      entries.map(({ line }) => line),
    ],
  );
}
