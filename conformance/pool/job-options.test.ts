import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiScript, text, toolUse } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { testedVersions } from '../harness/real-cli.ts';
import { openPoolStage } from './stage.ts';

/** The tested release that finds a conversation only in the directory where it started. */
const STAYS = '2.1.197';

const answers: ApiScript = ({ tools, lastUserText }) => {
  if (tools.includes('StructuredOutput')) return toolUse('StructuredOutput', { answer: 42 });
  return lastUserText?.includes('tool') ? toolUse('Bash', { command: 'true' }) : text('first answer');
};

describe.concurrent.each(testedVersions)('a job of a pool of %s', (version) => {
  it('[A-5, M-6] has its own schema, budget and directory, and the conversation of its key continues across the processes', async () => {
    await using stage = await openPoolStage(answers, { version });
    const other = join(stage.home.root, 'other');
    mkdirSync(other);
    const pool = stage.pool({ size: 2 });
    const first = await pool.run({ key: 'a', prompt: 'first prompt' });

    // A schema: the same conversation, in another process, typed and checked.
    const outputSchema = z.object({ answer: z.number() });
    const structured = pool.submit({ key: 'a', prompt: 'second prompt', options: { outputSchema, maxBudgetUsd: 1 } });
    expect((await structured.output()).answer.toFixed(1)).toBe('42.0');
    expect((await structured.outcome).sessionId).toBe(first.sessionId);
    const third = pool.submit({ key: 'a', prompt: 'third prompt' });
    expect(await third.text()).toBe('first answer');
    expect(stage.api.conversation.at(-1)?.tools).not.toContain('StructuredOutput');
    expect(stage.history()).toEqual(['first prompt', 'first answer', 'second prompt', 'third prompt']);

    // A directory, for a new conversation, and for one that started elsewhere.
    const elsewhere = pool.submit({ key: 'b', prompt: 'where', options: { cwd: other } });
    expect(await cwdOf(elsewhere)).toBe(realpathSync(other));
    const moved = pool.submit({ key: 'a', prompt: 'where', options: { cwd: other } });
    if (version === STAYS) {
      await expect(moved.text()).rejects.toMatchObject({ problems: [{ path: 'options.cwd' }] });
    } else {
      expect(await cwdOf(moved)).toBe(realpathSync(other));
    }
    expect(await pool.run({ key: 'a', prompt: 'back' })).toMatchObject({
      status: 'finished',
      sessionId: first.sessionId,
    });
    expect(stage.history()).toContain('third prompt');
  });

  it('[A-5, S-7] has its own model, which does not follow the conversation into another process', async () => {
    await using stage = await openPoolStage(answers, { version });
    const pool = stage.pool({ size: 1 });
    const models: (string | undefined)[] = [];
    for (const job of [
      { key: 'a', prompt: 'one' },
      { key: 'a', prompt: 'two', options: { model: 'claude-haiku-4-5' } },
      { key: 'b', prompt: 'takes the process' },
      { key: 'a', prompt: 'three' },
    ]) {
      await pool.run(job);
      models.push(stage.api.conversation.at(-1)?.model);
    }
    const [own] = models;
    expect(models).toEqual([own, expect.stringContaining('haiku'), own, own]);
  });

  it('[A-5] may spend its own budget, not that of its key: the next job starts at 0 again', async () => {
    await using stage = await openPoolStage(answers, { version });
    const pool = stage.pool({ size: 1 });
    // One answer of the fake API costs 0.00014 or 0.000175 dollars, depending on the release: two are too much for 0.00025.
    const options = { maxBudgetUsd: 0.00001 };
    const spent = [
      await pool.run({ key: 'a', prompt: 'use a tool', options }),
      await pool.run({ key: 'a', prompt: 'first prompt', options: { maxBudgetUsd: 0.00025 } }),
      await pool.run({ key: 'a', prompt: 'second prompt', options: { maxBudgetUsd: 0.00025 } }),
      await pool.run({ key: 'a', prompt: 'third prompt' }),
    ];
    expect(spent).toMatchObject([
      { status: 'finished', outcome: { kind: 'budget' } },
      { outcome: { kind: 'completed' } },
      { outcome: { kind: 'completed' } },
      { outcome: { kind: 'completed' } },
    ]);
    expect(new Set(spent.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(pool.stats().totals).toMatchObject({ started: 4, resumed: 3 });
  });
});

/** The working directory that the CLI of a job reports. */
async function cwdOf(job: AsyncIterable<object>): Promise<unknown> {
  let cwd: unknown;
  for await (const message of job) if ('cwd' in message) cwd = message.cwd;
  return cwd;
}
