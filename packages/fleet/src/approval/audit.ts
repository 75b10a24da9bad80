import type { Sql } from '../database/database.ts';

/**
 * What happened to an approval. `seen`: a person opened it. `refused`: an answer that did not count. `delivered`: the answer, or the
 * denial after the expiry, has reached the agent. `reopened`: the agent could not use the answer. `void`: the turn no longer waits.
 */
export type AuditKind =
  | 'requested'
  | 'seen'
  | 'answered'
  | 'refused'
  | 'escalated'
  | 'expired'
  | 'delivered'
  | 'reopened'
  | 'void';

/** What a record of the audit is about. */
export interface AuditedApproval {
  readonly id: string;
  readonly key: string;
  readonly turn: string;
  readonly tenant: string;
  readonly hash: string | null;
}

/** What happened, who did it, and where. No content of the request: only its hash. */
export interface NewAuditRecord {
  readonly kind: AuditKind;
  readonly by?: string | null;
  readonly from?: string | null;
  readonly worker?: string | null;
  readonly detail?: object;
}

/** Adds a record to the audit. Records are never changed, and removed only by `prune({ auditBefore })` of the owner of the tables. */
export async function recordAudit(
  sql: Sql,
  { id, key, turn, tenant, hash }: AuditedApproval,
  { kind, by = null, from = null, worker = null, detail = {} }: NewAuditRecord,
): Promise<void> {
  await sql.query(
    `insert into @.approval_audit (kind, approval, key, turn, tenant, hash, by, origin, worker, detail)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [kind, id, key, turn, tenant, hash, by, from, worker, JSON.stringify(detail)],
  );
}
