import type { FleetStats, WorkerInfo } from '@coxswain/fleet';
import { plural, usd } from '../render/format.ts';
import { harmless } from '../render/measure.ts';
import type { Paint } from '../render/paint.ts';
import { table } from '../render/table.ts';

/** The state of a fleet, for a person. */
export function statusLines(stats: FleetStats, paint: Paint, columns: number, now: number = Date.now()): string[] {
  const { turns, workers, pauses, heldBack, setAside } = stats;
  const wait = stats.oldestWaitMs === null ? '' : `, the oldest for ${seconds(stats.oldestWaitMs)}`;
  const outcomes = Object.entries(stats.outcomesLastHour).map(([kind, count]) => `${count} ${kind}`);
  return [
    `${turns.running} running, ${turns.waiting} waiting${wait}, ${turns.delayed} delayed, ${turns.parked} parked`,
    `last hour: ${outcomes.join(', ') || 'no turn ended'}; today ${usd(stats.costUsdToday)}`,
    ...(stats.groupsOpen > 0
      ? [`${plural(stats.groupsOpen, 'group')} of turns not done: cox fleet groups --open`]
      : []),
    ...(stats.approvalsPending > 0
      ? [`${plural(stats.approvalsPending, 'approval')} waiting: cox fleet approvals`]
      : []),
    ...pauses.map(({ credential, reason, until }) =>
      until > now
        ? `paused: ${credential} (${reason}) for ${seconds(until - now)}`
        : `paused: ${credential} (${reason}) has ended; one turn runs first, and the others wait for its outcome`,
    ),
    ...heldBack.map(heldBackLine),
    ...stats.unserved.map(({ waiting, reason }) => `${plural(waiting, 'turn')} waiting: ${harmless(reason)}`),
    ...setAside.map(
      ({ key, reason, attempts, until }) =>
        `set aside: ${harmless(key)} cannot be claimed (${reason}, attempts: ${attempts}); next attempt in ${seconds(Math.max(0, until - now))}`,
    ),
    '',
    ...(workers.length === 0
      ? ['no workers: cox fleet worker --agent ./agent.mjs']
      : table(
          ['WORKER', 'TURNS', 'WARM', 'STATE', 'LAST SEEN'],
          workers.map((worker) => [
            worker.name,
            `${worker.running}/${worker.slots}`,
            String(worker.warm),
            workerState(worker),
            `${seconds(Math.max(0, now - worker.heartbeatAt))} ago`,
          ]),
          paint,
          columns,
        )),
  ];
}

function heldBackLine(quota: FleetStats['heldBack'][number]): string {
  const { tenant, waiting, reached, running, maxConcurrent, usdToday, usdReserved, maxUsdPerDay = 0 } = quota;
  const reserved = usdReserved > 0 ? ` and ${usd(usdReserved)} reserved` : '';
  const why =
    reached === 'maxConcurrent'
      ? `${running} of ${maxConcurrent} running`
      : `${usd(usdToday)} of ${usd(maxUsdPerDay)} spent today${reserved}`;
  return `held back by the quota of ${harmless(tenant)}: ${waiting} waiting (${why})`;
}

/** `ready`, `draining` or `lost`. */
export function workerState({ alive, draining }: Pick<WorkerInfo, 'alive' | 'draining'>): string {
  if (!alive) return 'lost';
  return draining ? 'draining' : 'ready';
}

function seconds(ms: number): string {
  return ms < 120_000 ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / 60_000)} min`;
}
