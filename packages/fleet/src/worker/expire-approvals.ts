import { recordAudit } from '../approval/audit.ts';
import { stageAt, storedStages } from '../approval/terms.ts';
import type { Database, Transaction } from '../database/database.ts';
import { isAboutRows } from '../database/failure.ts';
import { aboutWorker, JOBS, logEvent, notify } from '../database/log.ts';
import type { ApprovalRow } from '../fleet/approvals.ts';
import type { Queue } from '../queue/queue.ts';

/** Time until the next attempt if the expiry of an approval could not be recorded. */
const AGAIN_MS = 10_000;

interface ExpireTerms {
  readonly worker: string;
  /** Ends the work before the next timer: there may be thousands. */
  readonly signal: AbortSignal;
  readonly onError: (error: unknown) => void;
}

/**
 * Records for all timers that are due that their approvals were escalated or have expired, each in one transaction. The clock has
 * already decided: an answer that is too late is refused, whether a worker runs or not.
 */
export async function expireApprovals(database: Database, queue: Queue, terms: ExpireTerms): Promise<void> {
  for (let more = true; more && !terms.signal.aborted; ) {
    more = await database.transaction(async (sql) => {
      const approval = await queue.fetchTimer(sql);
      if (approval === undefined) return false;
      await sql.setLockTimeout(database.rowLockMs / 10);
      await sql.query('savepoint timer');
      try {
        await endStage(sql, database.schema, queue, { approval, worker: terms.worker });
      } catch (error) {
        if (!isAboutRows(error)) throw error;
        // Rows that are damaged, or that another program locks, must not block the other timers.
        await sql.query('rollback to savepoint timer');
        await queue.setTimer(sql, approval, AGAIN_MS);
        terms.onError(error);
      }
      return true;
    });
  }
}

async function endStage(
  sql: Transaction,
  schema: string,
  queue: Queue,
  { approval: id, worker }: { readonly approval: string; readonly worker: string },
): Promise<void> {
  // Locked, so that an answer at the same time either comes first, or finds the approval closed.
  const [row] = await sql.query<Omit<ApprovalRow, 'parked_at'> & { readonly stage: number }>(
    `select *, clock_timestamp() as now from @.approval where id = $1 and state = 'pending' for update`,
    [id],
  );
  if (row === undefined) return;
  const { key, turn } = row;
  const stages = storedStages(row.stages);
  const ageMs = row.now.getTime() - row.created_at.getTime();
  const stage = stageAt(stages, ageMs);
  const about = { key, turn, worker, detail: { approval: id } };
  if (stage === undefined) {
    await sql.query(`update @.approval set state = 'expired' where id = $1`, [id]);
    await recordAudit(sql, row, { kind: 'expired', worker });
    await logEvent(sql, 'approval-expired', about);
    await queue.announce(sql, id, 'expired');
    await wakeTurn(sql, schema, turn);
    return;
  }
  if (stage.n > row.stage) {
    await sql.query('update @.approval set stage = $2 where id = $1', [id, stage.n]);
    const detail = { groups: stage.groups, before: stages[row.stage]?.groups ?? null };
    await recordAudit(sql, row, { kind: 'escalated', worker, detail });
    await logEvent(sql, 'approval-escalated', about);
    await queue.announce(sql, id, 'escalated');
  }
  if (stage.untilMs !== null) await queue.setTimer(sql, id, stage.untilMs - ageMs);
}

/** Notifies the worker of a turn that a request of its agent is decided, or an idle one if the turn is parked. */
async function wakeTurn(sql: Transaction, schema: string, turn: string): Promise<void> {
  const [row] = await sql.query<{ worker: string | null }>('select worker from @.turn where id = $1', [turn]);
  await notify(sql, schema, row?.worker ? aboutWorker(row.worker) : JOBS);
}
