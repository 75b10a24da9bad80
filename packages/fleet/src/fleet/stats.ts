import type { SetAside } from '../queue/queue.ts';
import type { Connection } from './connect.ts';
import { gauge, prometheusText } from './prometheus.ts';
import { listQuotas, type TenantQuota } from './quotas.ts';
import { type Unserved, unservedTurns } from './unserved.ts';
import { listWorkers, type WorkerInfo } from './workers.ts';

/** Numbers and current problems of the fleet. */
export interface FleetStats {
  readonly turns: {
    readonly waiting: number;
    readonly delayed: number;
    readonly running: number;
    /** Turns that wait for an approval, or for a worker after its answer, and hold no process. */
    readonly parked: number;
    readonly doneLastHour: number;
  };
  /** Groups with turns that have not ended. */
  readonly groupsOpen: number;
  /** Outcomes of the last hour by kind. */
  readonly outcomesLastHour: Readonly<Record<string, number>>;
  /** Waiting time of the oldest due turn; null if none waits. */
  readonly oldestWaitMs: number | null;
  readonly approvalsPending: number;
  readonly workers: readonly WorkerInfo[];
  /** Due turns that wait because no live worker may run them. */
  readonly unserved: readonly Unserved[];
  readonly pauses: readonly { readonly credential: string; readonly reason: string; readonly until: number }[];
  /** Tenants whose turns wait because their quota is reached. */
  readonly heldBack: readonly TenantQuota[];
  /** Conversations that wait because they could not be claimed. */
  readonly setAside: readonly SetAside[];
  readonly costUsdToday: number;
}

/** Reads the numbers. The cost grows with the turns that wait, run, are parked, or ended within the hour, not with the stored ones. */
export async function fleetStats({
  database,
  queue,
  limits,
}: Pick<Connection, 'database' | 'queue' | 'limits'>): Promise<FleetStats> {
  const [turns] = await database.query<{
    waiting: number;
    delayed: number;
    running: number;
    parked: number;
    oldest: number | null;
  }>(
    `select count(*) filter (where start_after <= now()) as waiting,
            count(*) filter (where start_after > now()) as delayed,
            (select count(*) from @.turn where state in ('claimed', 'sent')) as running,
            (select count(*) from @.turn where state = 'parked') as parked,
            extract(epoch from now() - min(greatest(created_at, start_after)) filter (where start_after <= now())) * 1000 as oldest
     from @.turn where state = 'waiting'`,
  );
  const outcomes = await database.query<{ kind: string; count: number }>(
    `select outcome_kind as kind, count(*) as count from @.turn where state = 'done' and ended_at > now() - interval '1 hour' group by 1`,
  );
  const [groups] = await database.query<{ open: number }>(
    `select count(distinct group_id) as open from (
       select group_id from @.turn where state = 'waiting' union all
       select group_id from @.turn where state in ('claimed', 'sent') union all
       select group_id from @.turn where state = 'parked') turns`,
  );
  const [approvals] = await database.query<{ count: number }>(
    `select count(*) as count from @.approval where state = 'pending'`,
  );
  const workers = await listWorkers(database, limits);
  const pauses = await database.query<{ credential: string; reason: string; until: Date }>(
    'select credential, reason, until from @.pause',
  );
  const [spent] = await database.query<{ usd: number | null }>(
    `select sum(usd) as usd from @.spend where day = (now() at time zone 'utc')::date`,
  );
  const quotas = await listQuotas(database);
  const outcomesLastHour = Object.fromEntries(outcomes.map(({ kind, count }) => [kind, count]));
  return {
    turns: {
      waiting: turns?.waiting ?? 0,
      delayed: turns?.delayed ?? 0,
      running: turns?.running ?? 0,
      parked: turns?.parked ?? 0,
      doneLastHour: outcomes.reduce((sum, { count }) => sum + count, 0),
    },
    groupsOpen: groups?.open ?? 0,
    outcomesLastHour,
    oldestWaitMs: turns?.oldest ?? null,
    approvalsPending: approvals?.count ?? 0,
    workers,
    unserved: await unservedTurns(database, workers),
    pauses: pauses.map(({ until, ...pause }) => ({ ...pause, until: until.getTime() })),
    heldBack: quotas.filter(({ reached, waiting }) => reached !== null && waiting > 0),
    setAside: await queue.listSetAside(),
    costUsdToday: spent?.usd ?? 0,
  };
}

/** The numbers in the text format of Prometheus. */
export function metricsText(stats: FleetStats): string {
  return prometheusText([
    gauge('coxswain_fleet_turns_waiting', 'Due turns that wait.', stats.turns.waiting),
    gauge('coxswain_fleet_turns_delayed', 'Turns that are not due yet.', stats.turns.delayed),
    gauge('coxswain_fleet_turns_running', 'Running turns.', stats.turns.running),
    gauge('coxswain_fleet_turns_parked', 'Turns that wait for an approval without a process.', stats.turns.parked),
    gauge(
      'coxswain_fleet_oldest_wait_seconds',
      'Waiting time of the oldest due turn.',
      (stats.oldestWaitMs ?? 0) / 1000,
    ),
    gauge('coxswain_fleet_approvals_pending', 'Approvals that wait for an answer.', stats.approvalsPending),
    gauge(
      'coxswain_fleet_workers_alive',
      'Workers that sent a heartbeat recently.',
      stats.workers.filter(({ alive }) => alive).length,
    ),
    gauge(
      'coxswain_fleet_slots',
      'Slots of all workers that sent a heartbeat recently.',
      stats.workers.reduce((sum, { alive, slots }) => sum + (alive ? slots : 0), 0),
    ),
    gauge(
      'coxswain_fleet_warm',
      'Processes that wait for the next turns of their conversations.',
      stats.workers.reduce((sum, { alive, warm }) => sum + (alive ? warm : 0), 0),
    ),
    gauge('coxswain_fleet_paused_credentials', 'Paused credentials.', stats.pauses.length),
    gauge(
      'coxswain_fleet_turns_held_by_quota',
      'Turns that wait because the quota of their tenant is reached.',
      stats.heldBack.reduce((sum, { waiting }) => sum + waiting, 0),
    ),
    gauge(
      'coxswain_fleet_turns_unserved',
      'Due turns that wait because no live worker runs their agent, or the version of it that is theirs.',
      stats.unserved.reduce((sum, { waiting }) => sum + waiting, 0),
    ),
    gauge(
      'coxswain_fleet_conversations_set_aside',
      'Conversations that wait because they could not be claimed.',
      stats.setAside.length,
    ),
    gauge('coxswain_fleet_cost_usd_today', 'Dollars spent today (UTC).', stats.costUsdToday),
    {
      name: 'coxswain_fleet_outcomes_last_hour',
      help: 'Turns that ended within the last hour.',
      type: 'gauge',
      values: Object.entries(stats.outcomesLastHour).map(([kind, value]) => ({ labels: { kind }, value })),
    },
  ]);
}
