import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, until } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { isAlive } from '../harness/processes.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openPoolStage } from './stage.ts';

const silent = new Promise<void>(() => {});

describe.concurrent.each(testedVersions)('a pool of %s', (version) => {
  it('[A-4] evicts a session for another key and resumes it: the conversation remembers', async () => {
    await using stage = await openPoolStage([text('first answer'), text('other answer'), text('second answer')], {
      version,
    });
    const pool = stage.pool({ size: 1 });
    const first = await pool.run({ key: 'a', prompt: 'first prompt' });
    expect(first).toMatchObject({ status: 'finished', outcome: { kind: 'completed', text: 'first answer' } });
    await pool.run({ key: 'b', prompt: 'other prompt' });
    expect(stage.said()).toEqual([]);
    const again = await pool.run({ key: 'a', prompt: 'second prompt' });
    expect(again).toMatchObject({ outcome: { text: 'second answer' }, sessionId: first.sessionId });
    expect(stage.said()).toEqual(['first prompt', 'first answer', 'second prompt']);
    expect(stage.processes().filter(({ command }) => command.includes('--session-id'))).toHaveLength(0);
    expect(pool.stats()).toMatchObject({ sessions: { idle: 1 }, totals: { started: 3, evicted: 2, resumed: 1 } });
  });

  it('[A-4, S-10] replaces a CLI that was killed at work: one typed error, and the conversation remembers', async () => {
    await using stage = await openPoolStage(
      [text('first answer'), [until(silent), text('never')], text('third answer')],
      { version },
    );
    const pool = stage.pool({ size: 1 });
    const { sessionId } = await pool.run({ key: 'a', prompt: 'first prompt' });
    // The CLI writes its transcript a little later; what it has not written when it is killed is lost.
    await waitUntil(() => transcripts(stage.home.configDir).includes('first answer'), { what: 'the transcript' });
    const cut = pool.submit({ id: 'cut', key: 'a', prompt: 'second prompt' });
    const next = pool.submit({ key: 'a', prompt: 'third prompt' });
    await stage.api.waitForRequest((request) => stage.said(request).includes('second prompt'));
    const { pid } = await stage.happened('session-started');
    process.kill(pid ?? 0, 'SIGKILL');
    expect(await cut.outcome).toMatchObject({ status: 'failed', error: { code: 'process', signal: 'SIGKILL' } });
    expect(await next.outcome).toMatchObject({ outcome: { text: 'third answer' }, sessionId });
    expect(isAlive(pid ?? 0)).toBe(false);
    expect(stage.said().filter((words) => words !== 'second prompt')).toEqual([
      'first prompt',
      'first answer',
      'third prompt',
    ]);
    expect(await stage.happened('session-replaced')).toMatchObject({ key: 'a', replaces: 1, sessionId });
    expect(stage.events.filter((event) => event.type === 'job-ended' && event.job === 'cut')).toHaveLength(1);
  });
});

it('[A-4, S-10] a CLI that was killed in its very first turn does not spoil its key', async () => {
  await using stage = await openPoolStage([[until(silent), text('never')], text('second answer')]);
  const pool = stage.pool({ size: 1 });
  const cut = pool.submit({ key: 'a', prompt: 'first prompt' });
  await stage.api.waitForRequest((request) => stage.said(request).includes('first prompt'));
  const { pid } = await stage.happened('session-started');
  process.kill(pid ?? 0, 'SIGKILL');
  expect(await cut.outcome).toMatchObject({ status: 'failed', error: { code: 'process' } });
  expect(await pool.run({ key: 'a', prompt: 'second prompt' })).toMatchObject({ outcome: { text: 'second answer' } });
});

it('[A-4, S-14] a CLI that is frozen is noticed, ended and replaced: the conversation remembers', async () => {
  await using stage = await openPoolStage([text('first answer'), text('second answer')]);
  const limits = { graceMs: 200, termMs: 200 };
  const pool = stage.pool({ size: 1, healthCheckMs: 100, healthTimeoutMs: 2_000, defaults: { limits } });
  await pool.run({ key: 'a', prompt: 'first prompt' });
  await waitUntil(() => transcripts(stage.home.configDir).includes('first answer'), { what: 'the transcript' });
  const { pid } = await stage.happened('session-started');
  process.kill(pid ?? 0, 'SIGSTOP');
  expect(await stage.happened('session-failed')).toMatchObject({ key: 'a', error: { code: 'session-unhealthy' } });
  expect(await pool.run({ key: 'a', prompt: 'second prompt' })).toMatchObject({ outcome: { text: 'second answer' } });
  expect(isAlive(pid ?? 0)).toBe(false);
  expect(stage.said()).toEqual(['first prompt', 'first answer', 'second prompt']);
});

/** Everything the CLI has written down of its conversations. */
function transcripts(configDir: string): string {
  const files = readdirSync(configDir, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.jsonl'));
  return files.map((path) => readFileSync(join(configDir, path), 'utf8')).join('');
}
