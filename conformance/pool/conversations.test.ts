import { text, until } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../harness/processes.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { transcriptsOf } from '../harness/transcripts.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openPoolStage, type PoolStage } from './stage.ts';

const silent = new Promise<void>(() => {});

describe.concurrent.each(testedVersions)('a pool of %s', (version) => {
  it('[A-4, S-10] evicts a session for another key and resumes it, and replaces a CLI that was killed during a turn, with one typed error and without losing the conversation', async () => {
    const script = [
      text('first answer'),
      text('other answer'),
      text('second answer'),
      [until(silent), text('never')],
      text('third answer'),
    ];
    await using stage = await openPoolStage(script, { version });
    const pool = stage.pool({ size: 1 });
    const first = await pool.run({ key: 'a', prompt: 'first prompt' });
    expect(first).toMatchObject({ status: 'finished', outcome: { kind: 'completed', text: 'first answer' } });
    await pool.run({ key: 'b', prompt: 'other prompt' });
    expect(stage.history()).toEqual([]);
    const again = await pool.run({ key: 'a', prompt: 'second prompt' });
    const { sessionId } = first;
    expect(again).toMatchObject({ outcome: { text: 'second answer' }, sessionId });
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt']);
    expect(stage.processes().filter(({ command }) => command.includes('--session-id'))).toHaveLength(0);
    expect(pool.stats()).toMatchObject({ sessions: { idle: 1 }, totals: { started: 3, evicted: 2, resumed: 1 } });

    // The CLI writes its transcript with a delay; output that it has not written before a kill is lost.
    await waitUntil(() => transcriptsOf(stage.home).includes('second answer'), { what: 'the transcript' });
    const cut = pool.submit({ id: 'cut', key: 'a', prompt: 'a prompt to be cut' });
    const next = pool.submit({ key: 'a', prompt: 'third prompt' });
    await stage.api.waitForRequest(({ lastUserText }) => lastUserText === 'a prompt to be cut');
    const { pid, slot } = lastStarted(stage);
    process.kill(pid, 'SIGKILL');
    expect(await cut.outcome).toMatchObject({ status: 'failed', error: { code: 'process', signal: 'SIGKILL' } });
    expect(await next.outcome).toMatchObject({ outcome: { text: 'third answer' }, sessionId });
    expect(isAlive(pid)).toBe(false);
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt', 'second answer', 'third prompt']);
    expect(await stage.happened('session-replaced')).toMatchObject({ key: 'a', replaces: slot, sessionId });
    expect(stage.events.filter((event) => event.type === 'job-ended' && event.job === 'cut')).toHaveLength(1);
  });
});

it('[A-4, S-10, S-14] keeps a key usable after its CLI was killed in the first turn, and replaces a frozen CLI without losing the conversation', async () => {
  await using stage = await openPoolStage([
    [until(silent), text('never')],
    text('second answer'),
    text('third answer'),
  ]);
  const limits = { graceMs: 200, termMs: 200 };
  const pool = stage.pool({ size: 1, healthCheckMs: 100, healthTimeoutMs: 2_000, defaults: { limits } });
  const cut = pool.submit({ key: 'a', prompt: 'first prompt' });
  await stage.api.waitForRequest((request) => stage.history(request).includes('first prompt'));
  process.kill(lastStarted(stage).pid, 'SIGKILL');
  expect(await cut.outcome).toMatchObject({ status: 'failed', error: { code: 'process' } });
  expect(await pool.run({ key: 'a', prompt: 'second prompt' })).toMatchObject({ outcome: { text: 'second answer' } });

  await waitUntil(() => transcriptsOf(stage.home).includes('second answer'), { what: 'the transcript' });
  const { pid } = lastStarted(stage);
  process.kill(pid, 'SIGSTOP');
  const unhealthy = (): boolean =>
    stage.events.some(
      (event) => event.type === 'session-failed' && event.key === 'a' && event.error.code === 'session-unhealthy',
    );
  await waitUntil(unhealthy, { timeoutMs: 20_000, what: 'the frozen session to be detected' });
  expect(await pool.run({ key: 'a', prompt: 'third prompt' })).toMatchObject({ outcome: { text: 'third answer' } });
  expect(isAlive(pid)).toBe(false);
  expect(stage.history().filter((words) => words !== 'first prompt')).toEqual([
    'second prompt',
    'second answer',
    'third prompt',
  ]);
});

function lastStarted({ events }: PoolStage): { readonly pid: number; readonly slot: number } {
  const started = events.findLast((event) => event.type === 'session-started');
  expect(started?.pid).toBeGreaterThan(0);
  return { pid: Number(started?.pid), slot: Number(started?.slot) };
}
