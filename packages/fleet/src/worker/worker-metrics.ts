import { gauge, prometheusText } from '../fleet/prometheus.ts';
import type { WorkerHealth } from './worker-health.ts';

/** The health of a worker in the text format of Prometheus. */
export function workerMetricsText({
  ready,
  draining,
  running,
  slots,
  warm,
  spare,
  database,
  listening,
  turnsEnded,
  turnsReused,
}: WorkerHealth): string {
  return prometheusText([
    flag('coxswain_worker_ready', 'Whether the worker claims turns.', ready),
    flag('coxswain_worker_draining', 'Whether the worker is draining.', draining),
    gauge('coxswain_worker_running', 'Turns that the worker is running.', running),
    gauge('coxswain_worker_slots', 'Turns that the worker can run at once.', slots),
    gauge('coxswain_worker_warm', 'Processes that wait for the next turns of their conversations.', warm),
    gauge('coxswain_worker_spare', 'Processes that wait for conversations that begin.', spare),
    flag('coxswain_worker_database_reachable', 'Whether the database answers.', database.reachable),
    flag('coxswain_worker_database_writable', 'Whether the last heartbeat was stored.', database.writable),
    flag('coxswain_worker_listening', 'Whether notifications of the database arrive.', listening),
    {
      name: 'coxswain_worker_turns_ended_total',
      help: 'Turns that the worker has ended since its start.',
      type: 'counter',
      values: [{ value: turnsEnded }],
    },
    {
      name: 'coxswain_worker_turns_reused_total',
      help: 'Turns that ran on a process that was kept from an earlier turn, or started before.',
      type: 'counter',
      values: [{ value: turnsReused }],
    },
  ]);
}

function flag(name: string, help: string, value: boolean): ReturnType<typeof gauge> {
  return gauge(name, help, value ? 1 : 0);
}
