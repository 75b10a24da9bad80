import { text } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { waitUntil } from '../harness/wait-until.ts';
import { openPoolStage } from './stage.ts';

// How much sooner its first message arrives is measured by bench/prewarm.mjs.
it('[A-4] a new conversation runs on a process that is already running and ready', async () => {
  await using stage = await openPoolStage([], { fallback: text('hello') });
  const pool = stage.pool({ size: 1, prewarm: 1 });
  await waitUntil(() => pool.stats().sessions.warm === 1, { timeoutMs: 20_000, what: 'a ready process' });
  expect(stage.events.map(({ type }) => type)).toEqual(['session-started']);
  const { slot } = await stage.happened('session-started');
  const outcome = await pool.run({ prompt: 'hello' });
  expect(outcome).toMatchObject({ status: 'finished', outcome: { kind: 'completed' } });
  expect(await stage.happened('session-adopted')).toMatchObject({ slot });
  const types = stage.events.map(({ type }) => type);
  const untilItsEnd = types.slice(0, types.indexOf('job-ended'));
  expect(untilItsEnd.filter((type) => type === 'session-started')).toHaveLength(1);
});
