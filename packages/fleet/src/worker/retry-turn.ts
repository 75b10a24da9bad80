import type { TurnCost } from 'coxswain';
import { logEvent } from '../database/log.ts';
import { wakeLater } from '../queue/wake.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import { totalCost } from '../turn/total-cost.ts';
import type { Claim } from './claim.ts';
import { endIdle } from './end-cancelled.ts';
import { afterOutcome } from './pauses.ts';
import { addSpend } from './quota.ts';
import type { RunContext } from './run-context.ts';
import { voidApprovals } from './void-approvals.ts';
import type { TurnWriter } from './writer.ts';

/** The last write of an attempt that is repeated. */
export interface RetriedWrite {
  /** How the attempt ended. */
  readonly outcome: TurnOutcome;
  readonly sessionId: string | undefined;
  readonly cost: TurnCost | undefined;
  /** The time until the next attempt. */
  readonly afterMs: number;
}

/**
 * Stores the rest of the output of an attempt, and releases the conversation: any worker sends the prompt again after some time. The turn
 * keeps its place, so the turns behind it wait. @throws LeaseLostError
 */
export async function retryTurn(
  { id, key, tenant, job, attempt, probe, earlierCost }: Claim,
  { credential, database, queue, worker }: Pick<RunContext, 'credential' | 'database' | 'queue' | 'worker'>,
  writer: TurnWriter,
  { outcome, sessionId, cost, afterMs }: RetriedWrite,
): Promise<void> {
  const usd = cost?.costUsd ?? 0;
  const soFar = totalCost({ cost: cost ?? null, earlier_cost: earlierCost });
  const events = [
    { kind: 'retry', body: JSON.stringify({ outcome, attempt, afterMs }) },
    { kind: 'state', body: JSON.stringify({ state: 'waiting', worker: null, attempt }) },
  ];
  await writer.leave(events, async (sql) => {
    await sql.query(
      `update @.conversation set owner = null, claim = null, lease_until = null, session_id = coalesce($2, session_id), cost_usd = cost_usd + $3
       where key = $1`,
      [key, sessionId ?? null, usd],
    );
    const [turn] = await sql.query<{ cancelled_by: string | null }>(
      `update @.turn set state = 'waiting', retries = retries + 1, start_after = clock_timestamp() + $2 * interval '1 ms', epoch = null,
         claim = null, worker = null, job = null, answered = false, cost_usd = 0, cost = null, earlier_cost = $3,
         budget_usd = budget_usd - least($4, budget_usd) where id = $1
       returning cancelled_by`,
      [id, afterMs, soFar && JSON.stringify(soFar), usd],
    );
    // The next attempt gets them, too.
    await sql.query('update @.steer set passed_at = null where turn = $1 and passed_at is not null', [id]);
    if (writer.hasPartials) await sql.query(`delete from @.event where turn = $1 and kind = 'partial'`, [id]);
    await voidApprovals(sql, queue, { turn: id, worker });
    await queue.complete(sql, job);
    await logEvent(sql, 'turn-retried', {
      key,
      turn: id,
      worker,
      detail: { outcome: outcome.kind, attempt, afterMs, costUsd: usd },
    });
    const by = turn?.cancelled_by ?? null;
    if (by === null) await wakeLater(sql, queue, { id, key, tenant }, afterMs);
    // Cancelled meanwhile.
    else {
      const cancelled = { id, key, tenant, cancelled_by: by };
      await endIdle(sql, database.schema, queue, { turn: cancelled, worker, waitedFor: 'its next attempt' });
    }
    await afterOutcome(sql, outcome, { credential, worker, probe });
    // Last, to lock this row briefly: all turns of a tenant write to it.
    if (usd > 0) await addSpend(sql, tenant, usd, 0);
  });
}
