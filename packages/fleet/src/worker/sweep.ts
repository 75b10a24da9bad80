import type { UserContent } from 'coxswain';
import type { FleetReplay } from '../agent/define-agent.ts';
import type { Database, Transaction } from '../database/database.ts';
import { isAboutRows } from '../database/failure.ts';
import { aboutConversation, JOBS, logEvent, notify } from '../database/log.ts';
import { pipelined } from '../database/pipelined.ts';
import type { Queue } from '../queue/queue.ts';
import { wakeConversation } from '../queue/wake.ts';
import { fateOf } from '../turn/lost-turn.ts';
import { lostOutcome, type TurnOutcome } from '../turn/outcome.ts';
import { type CostColumns, costOfLost } from '../turn/total-cost.ts';
import type { TurnState } from '../turn/turn-state.ts';
import { insertEvents } from './fence.ts';
import { mayReplay } from './may-replay.ts';
import { resumableApproval } from './parked-claim.ts';
import { endProbe } from './pauses.ts';
import { addSpend } from './quota.ts';
import { voidApprovals } from './void-approvals.ts';

/** Maximum number of conversations that one sweep takes over. */
const MAX_PER_SWEEP = 20;

interface LostRow {
  readonly key: string;
  readonly tenant: string;
  readonly agent: string;
  readonly owner: string;
  readonly epoch: number;
}

/** Its costs are there if the worker died after the result. */
interface LostTurnRow extends CostColumns {
  readonly id: string;
  readonly state: TurnState;
  readonly tenant: string;
  readonly attempt: number;
  readonly answered: boolean;
  readonly approval: string | null;
  readonly cancelled_by: string | null;
  readonly job: string;
  readonly prompt: UserContent;
  readonly retries: number;
}

interface SweepTerms {
  /** Tokens of this worker's own claims that it runs or commits. */
  readonly held: readonly string[];
  /** The agents of this worker: only they decide whether a prompt is sent again. */
  readonly agents: readonly string[];
  readonly maxAttempts: number;
  readonly replay: (agent: string) => FleetReplay;
  /** True if the database has answered without delay for a while. */
  readonly steady: () => boolean;
  readonly onError: (error: unknown) => void;
}

/**
 * Takes over the conversations of lost workers, each in one transaction. If the rows of a conversation cannot be changed, it is reported
 * and skipped until the next sweep, so that it does not block the others. Returns the number of conversations.
 */
export async function sweep(database: Database, queue: Queue, terms: SweepTerms): Promise<number> {
  const broken: string[] = [];
  for (let count = 0; ; count += 1) {
    if (count >= MAX_PER_SWEEP) return count;
    let key: string | undefined;
    try {
      const found = await database.transaction(async (sql) => {
        const requestedAt = performance.now();
        const { slowMs } = database;
        const [, [lost]] = await pipelined([
          // Another program may lock rows of many of them, and the others wait meanwhile.
          sql.setLockTimeout(database.rowLockMs / (broken.length === 0 ? 1 : 10)),
          sql.query<LostRow>(
            `select key, tenant, agent, owner, epoch from @.conversation where owner is not null and lease_until < clock_timestamp()
               and coalesce(claim, '') <> all($1::text[]) and key <> all($2::text[]) and agent = any($3::text[])
             order by lease_until limit 1 for update skip locked`,
            [terms.held, broken, terms.agents],
          ),
        ]);
        // If the response took long, the server has stalled, and the owner could not renew its lease either.
        if (lost === undefined || performance.now() - requestedAt > slowMs || !terms.steady()) return false;
        key = lost.key;
        await releaseLost(sql, database.schema, queue, lost, terms);
        return true;
      });
      if (!found) return count;
    } catch (error) {
      if (key === undefined || !isAboutRows(error)) throw error;
      broken.push(key);
      terms.onError(error);
    }
  }
}

/**
 * Releases a claim of this worker whose commit got no response: nothing ran, so another attempt begins at once and this one does not
 * count.
 */
export async function releaseUnconfirmed(
  database: Database,
  queue: Queue,
  worker: string,
  token: string,
): Promise<void> {
  const replay = (): FleetReplay => 'never';
  const terms = { maxAttempts: Number.POSITIVE_INFINITY, replay, onError: () => {} };
  await database.transaction(async (sql) => {
    const [lost] = await sql.query<LostRow>(
      'select key, tenant, agent, owner, epoch from @.conversation where owner = $1 and claim = $2 for update',
      [worker, token],
    );
    if (lost === undefined) return;
    await sql.query('update @.turn set attempt = attempt - 1 where key = $1 and epoch = $2', [lost.key, lost.epoch]);
    await releaseLost(sql, database.schema, queue, lost, terms);
  });
}

async function releaseLost(
  sql: Transaction,
  schema: string,
  queue: Queue,
  lost: LostRow,
  terms: Pick<SweepTerms, 'maxAttempts' | 'replay' | 'onError'>,
): Promise<void> {
  const { maxAttempts } = terms;
  const replay = terms.replay(lost.agent);
  const [turn] = await sql.query<LostTurnRow>(
    `select id, state, tenant, attempt, answered, approval, cancelled_by, job, prompt, cost_usd, cost, earlier_cost, retries
     from @.turn where key = $1 and epoch = $2 and state in ('claimed', 'sent') for update`,
    [lost.key, lost.epoch],
  );
  const [row] = await sql.query<{ event_seq: number }>(
    `update @.conversation set owner = null, claim = null, lease_until = null, event_seq = event_seq + 1, cost_usd = cost_usd + $2
     where key = $1 returning event_seq`,
    [lost.key, turn?.cost_usd ?? 0],
  );
  await endProbe(sql, lost.owner);
  if (turn === undefined) {
    await wake(sql, schema, queue, lost);
    return;
  }
  const { id, job, attempt } = turn;
  const again = typeof replay === 'function' ? mayReplay(replay, turn, terms.onError) : replay;
  const resumable = await resumableApproval(sql, id);
  const facts = {
    ...turn,
    cancelled: turn.cancelled_by !== null,
    resumable: resumable !== undefined,
    wasParked: turn.approval !== null,
  };
  // Attempts that a policy repeated had ended.
  const decided = fateOf(facts, maxAttempts + turn.retries, again);
  // The prompt was sent by one of them.
  const fate = decided === 'cancelled' && turn.retries > 0 ? 'interrupted' : decided;
  const kept = fate === 'parked' ? resumable?.approval : undefined;
  await voidApprovals(sql, queue, { turn: id, worker: lost.owner, except: kept });
  const seq = row?.event_seq ?? 0;
  const cost = costOfLost(turn);
  const values = [id, cost && JSON.stringify(cost)];
  if (kept !== undefined) {
    await sql.query(
      `update @.turn set state = 'parked', approval = $3, parked_at = clock_timestamp(), epoch = null, claim = null, worker = null, job = null,
         ${KEEP_COST} where id = $1`,
      [...values, kept],
    );
    const body = { state: 'parked', worker: null, attempt };
    await insertEvents(sql, lost.key, id, seq, [{ kind: 'state', body: JSON.stringify(body) }]);
    await queue.complete(sql, job);
    await wake(sql, schema, queue, lost);
  } else if (fate === 'again' || fate === 'none') {
    await sql.query(
      `update @.turn set state = 'waiting', epoch = null, claim = null, worker = null, answered = false, approval = null,
         ${KEEP_COST} where id = $1`,
      values,
    );
    await sql.query('update @.steer set passed_at = null where turn = $1 and passed_at is not null', [id]);
    const body = { state: 'waiting', worker: null, attempt };
    await insertEvents(sql, lost.key, id, seq, [{ kind: 'state', body: JSON.stringify(body) }]);
    await queue.release(sql, job);
    await notify(sql, schema, JOBS);
  } else if (fate !== 'parked') {
    const outcome: TurnOutcome = lostOutcome(fate, { attempt, cancelledBy: turn.cancelled_by });
    await sql.query(
      `update @.turn set state = 'done', outcome = $3, outcome_kind = $4, ended_at = clock_timestamp(), ${KEEP_COST} where id = $1`,
      [...values, JSON.stringify(outcome), outcome.kind],
    );
    await insertEvents(sql, lost.key, id, seq, [{ kind: 'outcome', body: JSON.stringify({ outcome }) }]);
    await sql.query(`delete from @.event where turn = $1 and kind = 'partial'`, [id]);
    await queue.complete(sql, job);
    await wake(sql, schema, queue, lost);
  }
  await logEvent(sql, 'turn-lost', {
    key: lost.key,
    turn: id,
    worker: lost.owner,
    detail: { fate, attempt, epoch: lost.epoch },
  });
  await notify(sql, schema, aboutConversation(lost.key));
  // Last, to lock this row briefly: all turns of a tenant write to it.
  const hasEnded = kept === undefined && fate !== 'again' && fate !== 'none';
  if (hasEnded || turn.cost_usd > 0) await addSpend(sql, turn.tenant, turn.cost_usd, hasEnded ? 1 : 0);
}

/** Moves the cost of the lost run to those of the earlier ones. */
const KEEP_COST = 'cost_usd = 0, cost = null, earlier_cost = $2';

async function wake(sql: Transaction, schema: string, queue: Queue, lost: LostRow): Promise<void> {
  if (await wakeConversation(sql, queue, lost)) await notify(sql, schema, JOBS);
}
