import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import type { PoolEvent } from '../../src/pool/events.ts';
import { boathouse, type Conduct, echo, Rower } from './boathouse.ts';

const asks: Conduct = (cli, prompt) => {
  cli.begin(prompt);
  cli.askPermission('p1');
  void cli.answered('p1').then(() => cli.finish(prompt));
};

describe('the events of a job', () => {
  it('[A-6] come in one order, whether its process is there, is started for it, or is just starting', async () => {
    let go: () => void = () => {};
    const { pool, clis, events, happened } = boathouse({ size: 3, prewarm: 1 }, echo, () => {
      return new Rower({
        initialize: (cli, id) => {
          go = () => cli.succeed(id, {});
          if (clis.length > 1) go();
        },
      });
    });
    await pool.ready;
    // The prewarmed one is still starting when the first job adopts it.
    const adopter = pool.submit({ id: 'adopts', key: 'a', prompt: '1' });
    await happened('session-adopted');
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    expect(events.map(({ type }) => type)).not.toContain('job-started');
    go();
    await adopter.result();
    await pool.run({ id: 'cold', key: 'b', prompt: '2', resume: '11111111-2222-4333-8444-555555555555' });
    await pool.run({ id: 'idle', key: 'a', prompt: '3' });
    expect(storyOf(events, 1, 'adopts')).toEqual([
      'job-queued',
      'session-adopted',
      'session-started',
      'job-started',
      'job-ended',
    ]);
    expect(storyOf(events, 2, 'cold')).toEqual(['job-queued', 'session-started', 'job-started', 'job-ended']);
    expect(storyOf(events, 1, 'idle').slice(-3)).toEqual(['job-queued', 'job-started', 'job-ended']);
  });

  it('[A-4] one that adopts a starting process can be cancelled before that has started; its key’s next job runs there', async () => {
    let go: () => void = () => {};
    const { pool, clis, happened } = boathouse({ size: 1, prewarm: 1 }, echo, () => {
      return new Rower({
        initialize: (cli, id) => {
          go = () => cli.succeed(id, {});
        },
      });
    });
    await pool.ready;
    const first = pool.submit({ key: 'a', prompt: 'never' });
    await happened('session-adopted');
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    await first.cancel('not now');
    expect(await first.outcome).toMatchObject({ status: 'cancelled', cancelledBy: 'cancel' });
    const next = pool.submit({ key: 'a', prompt: '2' });
    await happened('job-queued', 2);
    go();
    expect(await next.text()).toBe('you said 2');
    expect(clis[0]?.story).toEqual(['initialize', 'prompt 2']);
  });

  it('[A-6, P-7] a permission that was answered has the job it was asked in, also when that is over', async () => {
    const forgotten: Conduct = (cli, prompt, text) => {
      cli.begin(prompt);
      if (text === 'asks') cli.askPermission('p1');
      cli.finish(prompt);
    };
    const { pool, happened } = boathouse({ size: 1, defaults: { canUseTool: () => decideLater() } }, forgotten);
    await pool.run({ id: 'first', key: 'a', prompt: 'asks' });
    await pool.run({ id: 'second', key: 'a', prompt: 'does not' });
    expect(pool.pendingPermissions()).toMatchObject([{ id: '1:p1', job: 'first', key: 'a' }]);
    await pool.answerPermission('1:p1', allow());
    expect(await happened('permission-answered')).toMatchObject({ id: '1:p1', job: 'first', key: 'a' });
  });
});

describe('the items of a job', () => {
  it('[A-6, Q-2, P-7] have its permissions in their places when asked for, with the ids of the pool', async () => {
    const { pool } = boathouse({ defaults: { canUseTool: () => decideLater() } }, asks);
    const told: string[] = [];
    const numbers: number[] = [];
    for await (const item of pool.submit({ key: 'a', prompt: 'go' }).items({ permissions: true })) {
      numbers.push(item.seq);
      told.push(item.kind === 'message' ? item.message.type : item.kind);
      if (item.kind === 'permission-requested') {
        expect(item).toMatchObject({ id: '1:p1', request: { id: 'p1', toolName: 'Write' } });
        await pool.answerPermission(item.id, allow());
      }
      if (item.kind === 'permission-answered') {
        expect(item).toMatchObject({ id: '1:p1', tool: 'Write', decision: 'allow' });
      }
    }
    expect(told.slice(-3)).toEqual(['permission-requested', 'permission-answered', 'result']);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});

/** What happened to a job and to the process it ran in. */
function storyOf(events: readonly PoolEvent[], slot: number, job: string): string[] {
  return events
    .filter((event) => ('job' in event ? event.job === job : 'slot' in event && event.slot === slot))
    .map(({ type }) => type);
}
