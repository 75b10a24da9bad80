import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { script, scriptedCli } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { createPool } from '../../src/pool/create-pool.ts';
import type { PoolEvent } from '../../src/pool/pool-events.ts';
import { LONG_FORM } from '../support/long-form.ts';
import { commandLineOf, liveDescendants, waitUntil } from '../support/processes.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const JOBS = LONG_FORM ? 500 : 200;
const KEYS = LONG_FORM ? 40 : 20;
const SLOTS = 8;
/** Number of jobs after which the heap is measured first. */
const WARM_UP = 100;
const HEAP_PER_JOB = 5_000;
/** Number of concurrent senders, and of consecutive jobs of one key per sender. */
const SENDERS = 32;
const ROW = 5;

it(`[A-4] a pool keeps order, one outcome per job, its size and its memory bound with ${JOBS} jobs of ${KEYS} keys on ${SLOTS} slots and crashes`, {
  timeout: 60_000,
}, async () => {
  const agent = script()
    .onPrompt('crash', (turn) => turn.say('I am about to').crash())
    .otherwise((turn) => turn.say('done'));
  await using cli = await scriptedCli(agent);
  const random = seeded(20_251);
  const started: string[] = [];
  const ended = new Map<string, string[]>();
  let mostAlive = 0;
  const onEvent = (event: PoolEvent): void => {
    if (event.type === 'job-started') started.push(event.job);
    if (event.type === 'job-ended') ended.set(event.job, [...(ended.get(event.job) ?? []), summaryOf(event.outcome)]);
    if (event.type === 'session-started') mostAlive = Math.max(mostAlive, alive(cli.path).length);
  };
  const pool = createPool({
    size: SLOTS,
    queue: SENDERS * ROW,
    onEvent,
    // The guard process would be counted as a session.
    defaults: { cli: cli.path, versionCheck: 'off', orphanGuard: false },
  });

  const submitted: { readonly id: string; readonly key: string; readonly crashes: boolean }[] = [];
  let rows = 0;
  let heapBefore = 0;
  const run = async (key: string): Promise<void> => {
    const job = { id: `job ${submitted.length}`, key, crashes: random() < 0.06 };
    submitted.push(job);
    const prompt = job.crashes ? `${job.id} crash` : job.id;
    const outcome = await pool.run({ id: job.id, key, prompt, priority: Math.floor(random() * 3) });
    expect(summaryOf(outcome)).toBe(job.crashes ? 'process SIGKILL' : 'completed');
    if (ended.size === WARM_UP) heapBefore = heapUsed();
  };
  const sender = async (): Promise<void> => {
    while (submitted.length < JOBS) {
      // Each key once, then some keys more often than others: otherwise nearly every row would start a process.
      const key = `key ${rows < KEYS ? rows : Math.floor(random() ** 6 * KEYS)}`;
      rows += 1;
      const row = Math.min(1 + Math.floor(random() * ROW), JOBS - submitted.length);
      await Promise.all(Array.from({ length: row }, () => run(key)));
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  const heapAfter = heapUsed();
  const { totals, jobs, keys } = pool.stats();
  await pool.drain();

  expect(ended.size).toBe(JOBS);
  expect([...ended.values()].filter((outcomes) => outcomes.length !== 1)).toEqual([]);
  for (const key of new Set(submitted.map((job) => job.key))) {
    const own = submitted.filter((job) => job.key === key).map(({ id }) => id);
    expect(started.filter((id) => own.includes(id))).toEqual(own);
  }
  const crashes = submitted.filter((job) => job.crashes).length;
  expect(crashes).toBeGreaterThan(JOBS / 40);
  expect(jobs).toEqual({ finished: JOBS - crashes, failed: crashes, cancelled: 0 });
  expect(mostAlive).toBeLessThanOrEqual(SLOTS);
  expect(mostAlive).toBeGreaterThan(SLOTS / 2);
  expect(keys).toBeLessThanOrEqual(KEYS);
  expect(totals.failed).toBe(crashes);
  expect(totals.replaced).toBeGreaterThan(0);
  expect(totals.evicted).toBeGreaterThan(0);
  expect(heapAfter - heapBefore).toBeLessThan((JOBS - WARM_UP) * HEAP_PER_JOB);
  await waitUntil('all processes have exited', () => alive(cli.path).length === 0);

  // The processes received each prompt once.
  const runs = await cli.runs();
  expect(runs.flatMap(({ prompts }) => prompts)).toHaveLength(JOBS);
  expect(runs).toHaveLength(totals.started);
});

function summaryOf(outcome: Extract<PoolEvent, { type: 'job-ended' }>['outcome']): string {
  return outcome.status === 'finished' ? outcome.outcome.kind : `${outcome.error.code} ${outcome.error.signal}`;
}

function alive(path: string): number[] {
  return liveDescendants(process.pid).filter((pid) => commandLineOf(pid).includes(path));
}

function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** Pseudo-random numbers from a seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
