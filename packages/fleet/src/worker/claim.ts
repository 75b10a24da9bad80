import type { TurnCost, UserContent } from 'coxswain';
import type { Database, Transaction } from '../database/database.ts';
import { codeAboutRows, reasonAboutRows } from '../database/failure.ts';
import { aboutConversation, aboutWorker, logEvent, notify } from '../database/log.ts';
import { pipelined } from '../database/pipelined.ts';
import { nextEpoch } from '../lease/lease.ts';
import type { FetchedJob, Queue } from '../queue/queue.ts';
import type { ServedAgent } from '../queue/routes.ts';
import { clearJob, wakeConversation } from '../queue/wake.ts';
import { type CheckedRetry, storedRetry } from '../turn/retry-policy.ts';
import { insertEvents } from './fence.ts';
import { type ParkedClaim, parkedClaim } from './parked-claim.ts';
import { endProbe, mayStart } from './pauses.ts';
import { checkQuota } from './quota.ts';

/** A turn that this worker has claimed. */
export interface Claim {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  /** The name of its agent. */
  readonly agent: string;
  readonly epoch: number;
  /** Random, so that no two claims share one. */
  readonly token: string;
  readonly job: string;
  readonly attempt: number;
  readonly prompt: UserContent;
  readonly data: unknown;
  readonly sessionId: string | null;
  /** What the conversation was left with: the epoch of the claim before, the token of the one that kept its process, and the place of its files. */
  readonly before: { readonly epoch: number; readonly warmClaim: string | null; readonly place: string | null };
  /** The approval with which a parked turn is resumed. */
  readonly parked: ParkedClaim | undefined;
  /** What its earlier runs have cost. */
  readonly earlierCost: TurnCost | null;
  /** `maxUsdPerTurn` of the turn or of its tenant, the lower one. */
  readonly maxUsd: number | null;
  /** What the claim has reserved for it, of the day of its tenant. */
  readonly reservedUsd: number | null;
  /** The turn's own policy of retries. */
  readonly retry: CheckedRetry | undefined;
  /** The number of attempts that were repeated by a policy; `attempt` includes them. */
  readonly retries: number;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  /** In ms since the epoch, by the clock of the database. */
  readonly submittedAt: number;
  /** True if this turn goes first after a rate limit, to show whether the API accepts requests again. */
  readonly probe: boolean;
  /** When the request that granted the lease was sent, by the monotonic clock. */
  readonly requestedAt: number;
}

/**
 * The result of a search for work. `nothing`: no turn is due; `again`: search again at once, perhaps with an error to report; `paused`:
 * the credential is paused;
 * `refused`: the rows of the conversation cannot be read or changed now.
 */
export type ClaimResult =
  | { readonly kind: 'claim'; readonly claim: Claim }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'again'; readonly exceptTenant?: string; readonly error?: unknown }
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'refused'; readonly job: FetchedJob; readonly reason: string; readonly error: unknown };

interface ClaimTerms {
  readonly worker: string;
  /** The agents of the worker. */
  readonly agents: readonly ServedAgent[];
  /** The random token of the claim. */
  readonly token: string;
  readonly credential: string;
  readonly leaseMs: number;
  readonly exceptTenants: readonly string[];
  /** The conversations whose last turns left processes on this worker. */
  readonly warmKeys: readonly string[];
  /** Time to wait for a row that another transaction locks. */
  readonly lockMs: number;
  /** Called before the commit. */
  readonly beforeCommit: (turn: string) => Promise<void>;
}

/**
 * Fetches a job and claims its conversation in one transaction: a worker that dies in between has claimed nothing. The job only means
 * that the conversation has work; the fleet's tables determine the order of its turns.
 */
export async function claimTurn(database: Database, queue: Queue, terms: ClaimTerms): Promise<ClaimResult> {
  const { token } = terms;
  const nothing = new NothingClaimed();
  let fetched: FetchedJob | undefined;
  return database
    .transaction<ClaimResult>(async (sql) => {
      const { agents } = terms;
      const [start, isStaged] = await pipelined([
        mayStart(sql, terms.credential, terms.worker),
        hasRelease(sql, agents),
      ]);
      if (start.kind === 'paused') return start;
      const again = async (): Promise<ClaimResult> => {
        if (start.probe) await endProbe(sql, terms.worker);
        return { kind: 'again' };
      };
      if (terms.warmKeys.length > 0) await showPreferred(sql, queue, terms.warmKeys);
      const job = await queue.fetch(sql, terms.exceptTenants, { agents, isStaged });
      // The queue may have ignored a failed statement, so the transaction must not be committed.
      if (job === undefined) throw nothing.because({ kind: 'nothing' });
      fetched = job;
      const [, [conversation], next] = await pipelined([
        // A conversation that was set aside is probably still locked, and the others wait meanwhile.
        sql.setLockTimeout(job.failures > 0 ? terms.lockMs / 10 : terms.lockMs),
        sql.query<ConversationRow>(
          `select tenant, agent, place, session_id, owner, epoch, warm_claim, warm_worker, event_seq, watched_until > clock_timestamp() as watched,
                  extract(epoch from clock_timestamp()) * 1000 as now
           from @.conversation where key = $1 for update`,
          [job.key],
        ),
        nextTurn(sql, job.key),
      ]);
      if (conversation === undefined) {
        await queue.complete(sql, job.id);
        return again();
      }
      const { approval } = next ?? {};
      const parked = approval ? await parkedClaim(sql, queue, { approval, worker: terms.worker }) : undefined;
      // Nothing runs before a parked turn, or one that waits for its next attempt.
      const isHeld = next !== undefined && (next.state === 'parked' ? parked === undefined : !next.due);
      const agent = agents.find(({ name }) => name === conversation.agent);
      const turn = conversation.owner === null && !isHeld ? next : undefined;
      if (turn === undefined || agent === undefined) {
        // Its turn was cancelled, or another job of the conversation was faster. The end of a running turn wakes the conversation. Or the job
        // names another agent: it is of an older release, or a program has put it into the queue.
        await queue.complete(sql, job.id);
        await clearJob(sql, job.key, job.id);
        if (conversation.owner === null)
          await wakeConversation(sql, queue, { key: job.key, tenant: conversation.tenant });
        return again();
      }
      const { tenant } = conversation;
      const earlierUsd = turn.earlier_cost?.costUsd ?? null;
      const asked = { id: turn.id, tenant, budgetUsd: turn.budget_usd, maxUsd: turn.max_usd, earlierUsd };
      const { isAllowed, maxUsd, reservedUsd } = await checkQuota(sql, asked).catch((error: unknown) => {
        // The lock concerns all conversations of the tenant, and none of them in particular.
        if (codeAboutRows(error) !== LOCK_TIMEOUT) throw error;
        throw nothing.because({ kind: 'again', exceptTenant: tenant, error });
      });
      if (!isAllowed) throw nothing.because({ kind: 'again', exceptTenant: tenant });
      if (turn.job !== job.id) await clearJob(sql, job.key, job.id);
      const epoch = nextEpoch(conversation.epoch, conversation.now);
      const attempt = turn.attempt + 1;
      const body = { state: 'claimed', worker: terms.worker, attempt };
      const event = { kind: 'state', body: JSON.stringify(body) };
      const requestedAt = performance.now();
      await pipelined([
        sql.query(
          `update @.conversation set owner = $2, epoch = $3, claim = $5, lease_until = clock_timestamp() + $4 * interval '1 ms',
             event_seq = event_seq + 1, written = 0, warm_claim = null, warm_worker = null, warm_until = null, place = coalesce($6, place)
           where key = $1`,
          [job.key, terms.worker, epoch, terms.leaseMs, token, agent.place],
        ),
        sql.query(
          `update @.turn set state = 'claimed', attempt = attempt + 1, epoch = $2, worker = $3, job = $4, claim = $5, started_at = clock_timestamp(),
             budget_usd = coalesce($6, budget_usd), agent_version = $7, cli = null where id = $1`,
          [turn.id, epoch, terms.worker, job.id, token, reservedUsd, agent.version],
        ),
        insertEvents(sql, job.key, turn.id, conversation.event_seq + 1, [event]),
        // The next event may be minutes away, while the agent prepares.
        conversation.watched ? notify(sql, database.schema, aboutConversation(job.key)) : undefined,
        // Its process must not run a turn of this conversation again.
        conversation.warm_worker !== null && conversation.warm_worker !== terms.worker
          ? notify(sql, database.schema, aboutWorker(conversation.warm_worker))
          : undefined,
        logEvent(sql, 'turn-claimed', {
          key: job.key,
          turn: turn.id,
          worker: terms.worker,
          detail: { epoch, attempt, agent: agent.name, version: agent.version },
        }),
      ]);
      await terms.beforeCommit(turn.id);
      const { id, prompt, data, traceparent, tracestate } = turn;
      const claim: Claim = {
        id,
        key: job.key,
        tenant,
        agent: agent.name,
        epoch,
        token,
        job: job.id,
        attempt,
        prompt,
        data,
        traceparent,
        tracestate,
        submittedAt: turn.created_at.getTime(),
        sessionId: conversation.session_id,
        before: { epoch: conversation.epoch, warmClaim: conversation.warm_claim, place: conversation.place },
        parked,
        earlierCost: turn.earlier_cost,
        maxUsd,
        reservedUsd,
        retry: storedRetry(turn.retry),
        retries: turn.retries,
        probe: start.probe,
        requestedAt,
      };
      return { kind: 'claim', claim };
    })
    .catch((error: unknown): ClaimResult => {
      if (error === nothing && nothing.result !== undefined) return nothing.result;
      const reason = reasonAboutRows(error);
      if (fetched === undefined || reason === undefined) throw error;
      return { kind: 'refused', job: fetched, reason, error };
    });
}

/** PostgreSQL's code for a lock that was not granted in time. */
const LOCK_TIMEOUT = '55P03';

/** Thrown to roll back the transaction, so that the job stays in the queue. */
class NothingClaimed extends Error {
  result: ClaimResult | undefined;

  because(result: ClaimResult): this {
    this.result = result;
    return this;
  }
}

interface ConversationRow {
  readonly tenant: string;
  readonly agent: string;
  readonly place: string | null;
  readonly session_id: string | null;
  readonly owner: string | null;
  readonly epoch: number;
  readonly warm_claim: string | null;
  readonly warm_worker: string | null;
  readonly event_seq: number;
  readonly watched: boolean | null;
  readonly now: number;
}

interface TurnRow {
  readonly id: string;
  readonly prompt: UserContent;
  readonly data: unknown;
  readonly attempt: number;
  readonly job: string | null;
  readonly budget_usd: number | null;
  readonly traceparent: string | null;
  readonly tracestate: string | null;
  readonly created_at: Date;
  readonly state: 'waiting' | 'parked';
  readonly approval: string | null;
  readonly earlier_cost: TurnCost | null;
  readonly max_usd: number | null;
  readonly retry: unknown;
  readonly retries: number;
  /** False if it waits for its next attempt. */
  readonly due: boolean;
}

/** Other workers wait a moment for the next turns of these conversations; this one does not. */
async function showPreferred(sql: Transaction, queue: Queue, keys: readonly string[]): Promise<void> {
  const jobs = await sql.query<{ job: string }>(
    `select next.job from unnest($1::text[]) as warm (key) cross join lateral (
       select job from @.turn where key = warm.key and state = 'waiting' and start_after <= clock_timestamp() order by seq limit 1) next
     where next.job is not null`,
    [keys],
  );
  if (jobs.length > 0)
    await queue.makeDue(
      sql,
      jobs.map(({ job }) => job),
    );
}

/** Whether one of the agents has a staged release. */
async function hasRelease(sql: Transaction, agents: readonly ServedAgent[]): Promise<boolean> {
  const names = agents.map(({ name }) => name);
  return (await sql.query('select 1 from @.release where agent = any($1) limit 1', [names])).length > 0;
}

async function nextTurn(sql: Transaction, key: string): Promise<TurnRow | undefined> {
  const [turn] = await sql.query<TurnRow>(
    `select id, prompt, data, attempt, job, budget_usd, traceparent, tracestate, created_at, state, approval, earlier_cost, max_usd, retry,
            retries, start_after <= clock_timestamp() as due from @.turn
     where key = $1 and state in ('waiting', 'parked') and (state = 'parked' or retries > 0 or start_after <= clock_timestamp())
     order by state = 'waiting' and retries = 0, seq limit 1 for update`,
    [key],
  );
  return turn;
}
