import type { TurnCost } from 'coxswain';
import { JOBS, logEvent, notify } from '../database/log.ts';
import { wakeConversation, wakeLater } from '../queue/wake.ts';
import { totalCost } from '../turn/total-cost.ts';
import type { Claim } from './claim.ts';
import { endProbe } from './pauses.ts';
import { addSpend } from './quota.ts';
import type { RunContext } from './run-context.ts';
import type { TurnWriter } from './writer.ts';

/** The last write of a run whose turn is parked. */
export interface ParkedWrite {
  readonly approval: string;
  readonly sessionId?: string | undefined;
  /** What the run has cost. */
  readonly cost?: TurnCost | undefined;
  /** The time until the next attempt, after one that failed. */
  readonly againMs?: number | undefined;
}

/**
 * Stores the rest of the output and releases the conversation: the turn waits for its approval without a worker. If that is decided by
 * now, the turn is queued at once. @throws LeaseLostError
 */
export async function parkTurn(
  { id, key, tenant, job, attempt, probe, earlierCost }: Claim,
  { database, queue, worker }: Pick<RunContext, 'database' | 'queue' | 'worker'>,
  writer: TurnWriter,
  { approval, sessionId, cost, againMs }: ParkedWrite,
): Promise<void> {
  const usd = cost?.costUsd ?? 0;
  const soFar = totalCost({ cost: cost ?? null, earlier_cost: earlierCost });
  // An attempt that failed counts.
  const counted = againMs === undefined ? attempt - 1 : attempt;
  const body = JSON.stringify({ state: 'parked', worker: null, attempt: counted });
  await writer.leave([{ kind: 'state', body }], async (sql) => {
    await sql.query(
      `update @.conversation set owner = null, claim = null, lease_until = null, session_id = coalesce($2, session_id), cost_usd = cost_usd + $3
       where key = $1`,
      [key, sessionId ?? null, usd],
    );
    await sql.query(
      `update @.turn set state = 'parked', approval = $2, parked_at = clock_timestamp(), epoch = null, claim = null, worker = null,
         job = null, attempt = $3, earlier_cost = $4, budget_usd = budget_usd - least($5, budget_usd) where id = $1`,
      [id, approval, counted, soFar && JSON.stringify(soFar), usd],
    );
    // An answer that was about to be delivered has not reached the agent.
    await sql.query('update @.approval set delivered = false where id = $1', [approval]);
    await queue.complete(sql, job);
    if (probe) await endProbe(sql, worker);
    await logEvent(sql, 'turn-parked', { key, turn: id, worker, detail: { approval, costUsd: usd } });
    if (againMs !== undefined) await wakeLater(sql, queue, { id, key, tenant }, againMs);
    else if (await wakeConversation(sql, queue, { key, tenant })) await notify(sql, database.schema, JOBS);
    // Last, to lock this row briefly: all turns of a tenant write to it.
    if (usd > 0) await addSpend(sql, tenant, usd, 0);
  });
}
