import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { openFleet, startWorker } from '@coxswain/fleet';
import { startFakeApi, text } from '@coxswain/testkit';
import { isolatedHome } from '../../conformance/harness/isolated-home.ts';
import { processesOf } from '../../conformance/harness/processes.ts';
import { realCli } from '../../conformance/harness/real-cli.ts';
import { megabytes, percentiles } from './world.mjs';

const SLOTS = 4;

/** @typedef {import('./world.mjs').Bench} Bench */

/**
 * Turns on the real CLI with a fake API: each on a process of its own, on that of the last turn, and conversations that begin on spare
 * processes. Time from the submission to the first message of the model, turns per second with four slots, and memory.
 * @param {Bench} bench
 */
export async function warm(bench) {
  const cold = await measured(bench, {});
  const kept = await measured(bench, { keepWarmMs: 60_000 });
  const spare = await measured(bench, { prewarm: 1 }, true);
  return [
    { what: 'submit → first message, real CLI, a process for each turn', figure: percentiles(cold.times) },
    { what: 'submit → first message, real CLI, warm', figure: percentiles(kept.times) },
    { what: 'submit → first message of a conversation, real CLI, spare process', figure: percentiles(spare.times) },
    { what: 'throughput, real CLI, 4 slots, a process for each turn', figure: `${cold.rate} turns/s` },
    { what: 'throughput, real CLI, 4 slots, warm', figure: `${kept.rate} turns/s, ${kept.reused} of them warm` },
    {
      what: 'memory, 4 warm processes that wait',
      figure: `${kept.memory} MB each; the worker with its clients ${kept.worker} MB`,
    },
  ];
}

let schemas = 0;

/**
 * @param {Bench} bench
 * @param {Partial<import('@coxswain/fleet').WorkerOptions>} options
 * @param {boolean} [begins] Each turn of the first part begins a conversation, when a spare process waits for it.
 */
async function measured({ database, quick }, options, begins = false) {
  schemas += 1;
  const place = { database, schema: `warm_${schemas}` };
  const api = await startFakeApi(() => text('done'));
  const home = await isolatedHome(api.url);
  const fleet = await openFleet(place);
  const worker = await startWorker({
    ...place,
    slots: SLOTS,
    ...options,
    agent: {
      options: () => ({
        cli: realCli(),
        cwd: home.project,
        env: home.env(),
        inheritEnv: false,
        settingSources: [],
        tools: [],
      }),
    },
  });
  try {
    const times = [];
    for (let n = 0; n < (quick ? 5 : 40); n += 1) {
      while (begins && n > 0 && worker.health().spare === 0) await delay(20);
      const from = performance.now();
      const turn = await fleet.submit({ key: begins ? `chat ${n}` : 'chat', prompt: `message ${n}` });
      for await (const item of turn.follow()) {
        if (item.kind !== 'message' || item.message.type !== 'assistant') continue;
        times.push(performance.now() - from);
        break;
      }
      await turn.outcome();
    }
    const before = worker.health().turnsReused;
    const count = quick ? 16 : 80;
    const from = performance.now();
    const turns = [];
    for (let n = 0; n < count; n += 1) turns.push(await fleet.submit({ key: `c${n % SLOTS}`, prompt: `message ${n}` }));
    for (const turn of turns) await turn.outcome();
    const rate = ((count / (performance.now() - from)) * 1_000).toFixed(1);
    const pids = processesOf(home.root).map(({ pid }) => pid);
    return {
      // The first turn of a conversation starts a process in any case.
      times: times.slice(1),
      rate,
      reused: worker.health().turnsReused - before,
      memory: pids.length > 0 ? megabytes(pids) : '0',
      worker: megabytes([process.pid]),
    };
  } finally {
    await worker.drain();
    await fleet.close();
    await api.close();
    await home[Symbol.asyncDispose]();
  }
}
