import { setTimeout as delay } from 'node:timers/promises';
import { FleetInputError } from '../errors.ts';
import type { Connection } from './connect.ts';
import { checkedOptions } from './input.ts';
import { retryUntilAborted } from './retry-until-aborted.ts';

/** An event of the fleet, without any content. */
export interface FleetEvent {
  /** For `events({ after })`. */
  readonly cursor: string;
  readonly at: number;
  readonly kind: FleetEventKind;
  readonly key: string | null;
  readonly turn: string | null;
  readonly worker: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** The kinds of events. */
export type FleetEventKind =
  | 'turn-submitted'
  | 'turn-claimed'
  | 'turn-parked'
  | 'turn-retried'
  | 'turn-ended'
  | 'turn-cancelled'
  | 'turn-steered'
  | 'turn-lost'
  | 'approval-requested'
  | 'approval-answered'
  | 'approval-escalated'
  | 'approval-expired'
  | 'approval-notice-failed'
  | 'schedule-failed'
  | 'release-set'
  | 'conversation-set-aside'
  | 'paused'
  | 'resumed'
  | 'worker-started'
  | 'worker-stopped'
  | 'worker-lost';

interface LogRow {
  readonly xid: string;
  readonly n: number;
  readonly at: Date;
  readonly kind: FleetEventKind;
  readonly key: string | null;
  readonly turn: string | null;
  readonly worker: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

const PAGE = 200;

/** Poll interval. Notifications of every event would make all transactions of the fleet wait for each other. */
const POLL_MS = 500;

/** All events after a cursor, or from now on, live. Misses no event: it reads only up to the oldest open transaction. @throws FleetInputError */
export async function* fleetEvents(
  { database }: Connection,
  options: { readonly after?: string | undefined; readonly signal?: AbortSignal | undefined },
): AsyncGenerator<FleetEvent, void, undefined> {
  const { after, signal } = checkedOptions(options, { after: true, signal: true });
  if (after !== undefined && !isCursor(after))
    throw new FleetInputError('after', 'must be the cursor of an event of this fleet.');
  let [xid, n] = (after ?? (await retryUntilAborted(() => lastCursor(), signal))).split('.') as [string, string];
  while (!signal?.aborted) {
    const rows = await retryUntilAborted(
      () =>
        database.query<LogRow>(
          // Qualified, because `xid` alone would be the text column.
          `select xid::text, n, at, kind, key, turn, worker, detail from @.log l
           where (xid, n) > ($1::xid8, $2::bigint) and xid < pg_snapshot_xmin(pg_current_snapshot()) order by l.xid, l.n limit $3`,
          [xid, n, PAGE],
        ),
      signal,
    );
    for (const { xid: rowXid, n: rowN, at, ...event } of rows) {
      [xid, n] = [rowXid, String(rowN)];
      yield { ...event, at: at.getTime(), cursor: `${xid}.${n}` };
    }
    if (rows.length < PAGE) await delay(POLL_MS, undefined, { signal }).catch(() => {});
  }

  async function lastCursor(): Promise<string> {
    const [last] = await database.query<{ xid: string }>('select pg_snapshot_xmin(pg_current_snapshot())::text as xid');
    return `${BigInt(last?.xid ?? '1') - 1n}.9223372036854775807`;
  }
}

/** True for two numbers, of 64 and 63 bits. */
function isCursor(value: unknown): boolean {
  const [, xid, n] = (typeof value === 'string' && /^(\d{1,20})\.(\d{1,19})$/.exec(value)) || [];
  return xid !== undefined && n !== undefined && BigInt(xid) < 2n ** 64n && BigInt(n) < 2n ** 63n;
}
