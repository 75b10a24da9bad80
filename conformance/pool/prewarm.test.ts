import { text } from '@coxswain/testkit';
import type { Pool } from 'coxswain';
import { expect, it } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { openPoolStage } from './stage.ts';

/** Use the minimum, because other load can only lengthen a measurement. */
const SAMPLES = 4;

it('[A-4] a prewarmed session delivers the first message at least five times as fast as a cold one', async () => {
  await using stage = await openPoolStage([], { fallback: text('hello') });
  const cold = await shortest(stage.pool({ size: 2 }), ({ sessions }) => sessions.stopping === 0);
  const warm = await shortest(stage.pool({ size: 2, prewarm: 1 }), ({ sessions }) => {
    return sessions.stopping === 0 && sessions.warm === 1;
  });
  expect(cold / warm, `cold ${cold} ms, prewarmed ${warm} ms`).toBeGreaterThan(5);
});

/** How long the first message of a new conversation takes, once the pool is ready. */
async function shortest(pool: Pool, isSet: (stats: ReturnType<Pool['stats']>) => boolean): Promise<number> {
  const taken: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample++) {
    await waitUntil(() => isSet(pool.stats()), { timeoutMs: 20_000, what: 'the pool to be ready' });
    const began = performance.now();
    let first: number | undefined;
    const outcome = await pool.run(
      { prompt: 'hello' },
      {
        onMessage: () => {
          first ??= performance.now() - began;
        },
      },
    );
    expect(outcome).toMatchObject({ status: 'finished', outcome: { kind: 'completed' } });
    taken.push(first ?? Number.POSITIVE_INFINITY);
  }
  return Math.min(...taken);
}
