import { setTimeout as delay } from 'node:timers/promises';
import { type AuditKind, recordAudit } from '../approval/audit.ts';
import type { Database } from '../database/database.ts';
import { NotInFleetError } from '../errors.ts';
import { type ApprovalRow, approvalOf, SELECT_APPROVAL } from './approvals.ts';
import {
  checkedFilter,
  checkedId,
  checkedLimit,
  checkedName,
  checkedOptions,
  checkedWhole,
  checkedWord,
} from './input.ts';

/** What happened to an approval. It has no content of the request: `hash` identifies it. */
export interface AuditRecord {
  /** Grows with each record; for `audit({ after })`. */
  readonly n: number;
  /** In ms since the epoch, by the clock of the database. */
  readonly at: number;
  readonly kind: AuditKind;
  readonly approval: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly hash: string | null;
  /** The person; null for what the fleet did by itself. */
  readonly by: string | null;
  /** Where they were, as reported by the process that they used. */
  readonly from: string | null;
  /** The worker that did it; null for what people did. */
  readonly worker: string | null;
  /** The user of the database that wrote the record, set by the server. */
  readonly databaseUser: string;
  /** By kind: the tool, the groups, the decision, why an answer was refused. */
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Which records to read. */
export interface AuditFilter {
  readonly approval?: string | undefined;
  readonly key?: string | undefined;
  readonly tenant?: string | undefined;
  readonly kind?: AuditKind | undefined;
  readonly by?: string | undefined;
  /** Only records with a higher `n`: the last one of the page before, or 0. None is missed, also while others are written. */
  readonly after?: number | undefined;
  /** 100 by default. */
  readonly limit?: number | undefined;
}

const FILTER: Readonly<Record<keyof AuditFilter, true>> = {
  approval: true,
  key: true,
  tenant: true,
  kind: true,
  by: true,
  after: true,
  limit: true,
};

const KINDS: readonly AuditKind[] = [
  'requested',
  'seen',
  'answered',
  'refused',
  'escalated',
  'expired',
  'delivered',
  'reopened',
  'void',
];

interface AuditRow extends Omit<AuditRecord, 'at' | 'from' | 'databaseUser'> {
  readonly at: Date;
  readonly origin: string | null;
  readonly db_user: string;
}

/** The audit of approvals, the oldest first. @throws FleetInputError */
export async function readAudit(database: Database, filter: AuditFilter = {}): Promise<AuditRecord[]> {
  checkedOptions(filter, FILTER, 'filter');
  const after = checkedWhole('after', filter.after ?? 0, 0);
  const until = filter.after === undefined ? null : await lastSettled(database, after);
  const rows = await database.query<AuditRow>(
    `select * from @.approval_audit where n > $1 and ($8::bigint is null or n <= $8) and ($2::text is null or approval = $2) and ($3::text is null or key = $3)
       and ($4::text is null or tenant = $4) and ($5::text is null or kind = $5) and ($6::text is null or by = $6)
     order by n limit $7`,
    [
      after,
      checkedFilter('approval', filter.approval),
      checkedFilter('key', filter.key),
      checkedFilter('tenant', filter.tenant),
      checkedWord('kind', filter.kind, KINDS),
      checkedFilter('by', filter.by),
      checkedLimit(filter.limit),
      until,
    ],
  );
  return rows.map(({ at, origin, db_user, ...row }) => ({
    ...row,
    at: at.getTime(),
    from: origin,
    databaseUser: db_user,
  }));
}

/**
 * The last record before which no other can appear. Records are numbered before their transactions commit, so a reader that goes on after
 * the newest one could miss some: waits for the transactions that write now. Returns `after` if they take too long.
 */
async function lastSettled(database: Database, after: number): Promise<number> {
  const [last] = await database.query<{ n: number }>('select coalesce(max(n), 0) as n from @.approval_audit');
  const until = performance.now() + SETTLE_MS;
  for (let open = await writers(database); open.size > 0; ) {
    if (performance.now() > until) return after;
    await delay(SETTLE_STEP_MS);
    const now = await writers(database);
    open = new Set([...open].filter((writer) => now.has(writer)));
  }
  return last?.n ?? 0;
}

const SETTLE_MS = 10_000;
const SETTLE_STEP_MS = 20;

/** The transactions that have written to the audit and are still open. */
async function writers(database: Database): Promise<ReadonlySet<string>> {
  const found = await database.query<{ id: string }>(
    `select virtualtransaction as id from pg_locks where relation = '@.approval_audit'::regclass and mode = 'RowExclusiveLock'
       and database = (select oid from pg_database where datname = current_database())`,
  );
  return new Set(found.map(({ id }) => id));
}

/** Who saw an approval. */
export interface SeenOptions {
  readonly by: string;
  /** Where, for the audit. */
  readonly from?: string | undefined;
}

/** Records that a person has seen an approval, once for each person. @throws NotInFleetError, FleetInputError */
export async function recordSeen(database: Database, id: string, options: SeenOptions): Promise<void> {
  checkedId('approval', id);
  checkedOptions(options, { by: true, from: true });
  const by = checkedName('by', options.by);
  const from = checkedFilter('from', options.from);
  const [row] = await database.query<ApprovalRow>(`${SELECT_APPROVAL} where id = $1`, [id]);
  if (row === undefined) throw new NotInFleetError('approval', id);
  const [seen] = await readAudit(database, { approval: id, kind: 'seen', by, limit: 1 });
  if (seen === undefined) await recordAudit(database, approvalOf(row), { kind: 'seen', by, from });
}
