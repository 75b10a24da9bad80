import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import type { PoolEvent } from '../../src/pool/pool-events.ts';
import { ConversationCli, echo, fakePool, type PromptHandler } from './fake-pool.ts';

const asks: PromptHandler = (cli, prompt) => {
  cli.begin(prompt);
  cli.askPermission('p1');
  void cli.answered('p1').then(() => cli.finish(prompt));
};

describe('the events of a job', () => {
  it('[A-6] have the same order for an idle, a starting and a newly started process', async () => {
    let go: () => void = () => {};
    const { pool, clis, events, waitFor } = fakePool({ size: 3, prewarm: 1 }, echo, () => {
      return new ConversationCli({
        initialize: (cli, id) => {
          go = () => cli.succeed(id, {});
          if (clis.length > 1) go();
        },
      });
    });
    await pool.ready;
    // The prewarmed process is still starting when the first job adopts it.
    const adopter = pool.submit({ id: 'adopts', key: 'a', prompt: '1' });
    await waitFor('session-adopted');
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    expect(events.map(({ type }) => type)).not.toContain('job-started');
    go();
    await adopter.result();
    await pool.run({ id: 'cold', key: 'b', prompt: '2', resume: '11111111-2222-4333-8444-555555555555' });
    await pool.run({ id: 'idle', key: 'a', prompt: '3' });
    expect(eventTypesOf(events, 1, 'adopts')).toEqual([
      'job-queued',
      'session-adopted',
      'session-started',
      'job-started',
      'job-ended',
    ]);
    expect(eventTypesOf(events, 2, 'cold')).toEqual(['job-queued', 'session-started', 'job-started', 'job-ended']);
    expect(eventTypesOf(events, 1, 'idle').slice(-3)).toEqual(['job-queued', 'job-started', 'job-ended']);
  });

  it('[A-4] end with job-ended if a job is cancelled after adopting a starting process, which then runs the next job of the key', async () => {
    let go: () => void = () => {};
    const { pool, clis, waitFor } = fakePool({ size: 1, prewarm: 1 }, echo, () => {
      return new ConversationCli({
        initialize: (cli, id) => {
          go = () => cli.succeed(id, {});
        },
      });
    });
    await pool.ready;
    const first = pool.submit({ key: 'a', prompt: 'never' });
    await waitFor('session-adopted');
    await expect.poll(() => clis[0]?.story).toEqual(['initialize']);
    await first.cancel('not now');
    expect(await first.outcome).toMatchObject({ status: 'cancelled', cancelledBy: 'cancel' });
    const next = pool.submit({ key: 'a', prompt: '2' });
    await waitFor('job-queued', 2);
    go();
    expect(await next.text()).toBe('you said 2');
    expect(clis[0]?.story).toEqual(['initialize', 'prompt 2']);
  });

  it('[A-6, P-7] name in permission-answered the job that requested the permission, even after that job has ended', async () => {
    const forgotten: PromptHandler = (cli, prompt, text) => {
      cli.begin(prompt);
      if (text === 'asks') cli.askPermission('p1');
      cli.finish(prompt);
    };
    const { pool, waitFor } = fakePool({ size: 1, defaults: { canUseTool: () => decideLater() } }, forgotten);
    await pool.run({ id: 'first', key: 'a', prompt: 'asks' });
    await pool.run({ id: 'second', key: 'a', prompt: 'does not' });
    const [pending] = pool.pendingPermissions();
    expect(pending).toMatchObject({ id: expect.stringMatching(/^1:/), job: 'first', key: 'a' });
    await pool.answerPermission(pending?.id ?? '', allow());
    expect(await waitFor('permission-answered')).toMatchObject({ id: pending?.id, job: 'first', key: 'a' });
  });
});

describe('the items of a job', () => {
  it('[A-6, Q-2, P-7] include its permission requests in order with { permissions: true }, under the ids of the pool', async () => {
    const { pool } = fakePool({ defaults: { canUseTool: () => decideLater() } }, asks);
    const kinds: string[] = [];
    const numbers: number[] = [];
    for await (const item of pool.submit({ key: 'a', prompt: 'go' }).items({ permissions: true })) {
      numbers.push(item.seq);
      kinds.push(item.kind === 'message' ? item.message.type : item.kind);
      if (item.kind === 'permission-requested') {
        expect(item).toMatchObject({ id: `1:${item.request.id}`, request: { toolName: 'Write' } });
        await pool.answerPermission(item.id, allow());
      }
      if (item.kind === 'permission-answered') {
        expect(item).toMatchObject({ id: expect.stringMatching(/^1:/), tool: 'Write', decision: 'allow' });
      }
    }
    expect(kinds.slice(-3)).toEqual(['permission-requested', 'permission-answered', 'result']);
    expect(numbers).toEqual(numbers.map((_, index) => index));
  });
});

/** The types of the events of a job and its slot. */
function eventTypesOf(events: readonly PoolEvent[], slot: number, job: string): string[] {
  return events
    .filter((event) => ('job' in event ? event.job === job : 'slot' in event && event.slot === slot))
    .map(({ type }) => type);
}
