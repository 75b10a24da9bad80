import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import { PoolClosedError } from '../../src/errors/session.ts';
import { FakeCli, settle, silence } from '../support/fake-cli.ts';
import { ConversationCli, echo, fakePool, type PromptHandler, promptsOf, resumedBy } from './fake-pool.ts';

const onPrompt: PromptHandler = (cli, prompt, text) => {
  if (text.startsWith('hold')) cli.begin(prompt);
  else if (text.startsWith('die')) {
    cli.begin(prompt);
    cli.die(null, 'SIGKILL');
  } else if (text.startsWith('vanish')) cli.die(1);
  else echo(cli, prompt, text);
};

describe('a session of a pool', () => {
  it('[A-4] is evicted if another key needs its slot, and resumed by its id for the next job of its key', async () => {
    const { pool, clis, mostProcesses, events, waitFor } = fakePool({ size: 1 });
    const first = await pool.run({ key: 'a', prompt: '1' });
    expect(resumedBy(clis[0])).toBeUndefined();
    await pool.run({ key: 'b', prompt: '2' });
    expect(await waitFor('session-evicted')).toMatchObject({ key: 'a', why: 'needed', sessionId: first.sessionId });
    await pool.run({ key: 'a', prompt: '3' });
    expect(clis.map(promptsOf)).toEqual([['1'], ['2'], ['3']]);
    expect(resumedBy(clis[2])).toBe(first.sessionId);
    expect(mostProcesses()).toBe(1);
    expect(pool.stats()).toMatchObject({ totals: { started: 3, resumed: 1, evicted: 2, replaced: 0, failed: 0 } });
    expect(events.findLast(({ type }) => type === 'session-started')).toMatchObject({ key: 'a', resumed: true });
  });

  it('[A-4] is evicted if it is idle for too long, and resumed later', async () => {
    const { pool, clis, waitFor } = fakePool({ idleMs: 20 });
    const { sessionId } = await pool.run({ key: 'a', prompt: '1' });
    expect(await waitFor('session-evicted')).toMatchObject({ key: 'a', why: 'idle' });
    await waitFor('session-ended');
    expect(clis[0]?.hasExited).toBe(true);
    expect(pool.stats().sessions).toEqual({ busy: 0, idle: 0, warm: 0, starting: 0, stopping: 0 });
    await pool.run({ key: 'a', prompt: '2' });
    expect(resumedBy(clis[1])).toBe(sessionId);
  });

  it('[A-4, R-9] whose CLI has closed its stdin but still runs is replaced', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1, defaults: { limits: { exitReadMs: 10 } } });
    const { sessionId } = await pool.run({ key: 'a', prompt: '1' });
    Object.assign(clis[0] ?? {}, { hasExited: true }); // Writes fail, but the process has not exited.
    expect(await pool.run({ key: 'a', prompt: '2' })).toMatchObject({ error: { name: 'TransportError' } });
    expect(await waitFor('session-failed')).toMatchObject({ key: 'a', error: { code: 'transport' } });
    expect(await pool.run({ key: 'a', prompt: '3' })).toMatchObject({
      status: 'finished',
      outcome: { text: 'you said 3' },
    });
    expect(resumedBy(clis[1])).toBe(sessionId);
  });

  it('[A-4] with a background task is not evicted before the task ends', async () => {
    const withTask: PromptHandler = (cli, prompt, text) => {
      cli.begin(prompt);
      if (text === 'task') cli.say({ type: 'system', subtype: 'task_started', task_id: 't1', session_id: 's' });
      cli.finish(prompt);
    };
    const { pool, clis, waitFor } = fakePool({ size: 1 }, withTask);
    await pool.run({ key: 'a', prompt: 'task' });
    const other = pool.submit({ key: 'b', prompt: 'other' });
    await settle();
    expect(pool.stats()).toMatchObject({ queued: 1, sessions: { busy: 1, stopping: 0 } });
    clis[0]?.say({ type: 'system', subtype: 'task_notification', task_id: 't1', status: 'stopped', session_id: 's' });
    await other.result();
    expect(await waitFor('session-evicted')).toMatchObject({ key: 'a' });
  });

  it('[A-4] with a background task that never ends is evicted after backgroundWaitMs', async () => {
    const { pool } = fakePool({ size: 1, backgroundWaitMs: 30 }, (cli, prompt) => {
      cli.begin(prompt);
      cli.say({ type: 'system', subtype: 'task_started', task_id: 't1', session_id: 's' });
      cli.finish(prompt);
    });
    await pool.run({ key: 'a', prompt: 'task' });
    expect(await pool.run({ key: 'b', prompt: 'other' })).toMatchObject({ status: 'finished' });
  });

  it('[A-4, S-10] whose CLI dies fails its job once with a typed error, and its conversation is resumed by a new process', async () => {
    const { pool, clis, events, waitFor, mostProcesses } = fakePool({ size: 1 }, onPrompt);
    const { sessionId } = await pool.run({ key: 'a', prompt: '1' });
    const [cut, next] = [pool.submit({ id: 'cut', key: 'a', prompt: 'die' }), pool.submit({ key: 'a', prompt: '3' })];
    expect(await cut.outcome).toMatchObject({
      status: 'failed',
      error: { name: 'ProcessError', code: 'process', signal: 'SIGKILL' },
      sessionId,
    });
    await expect(cut.text()).rejects.toMatchObject({ code: 'process' });
    expect(await next.text()).toBe('you said 3');
    expect(resumedBy(clis[1])).toBe(sessionId);
    expect(await waitFor('session-failed')).toMatchObject({ slot: 1, key: 'a', error: { code: 'process' } });
    expect(await waitFor('session-replaced')).toMatchObject({ slot: 2, key: 'a', replaces: 1, sessionId });
    expect(events.filter((event) => event.type === 'job-ended' && event.job === 'cut')).toHaveLength(1);
    expect(mostProcesses()).toBe(1);
    expect(pool.stats()).toMatchObject({ totals: { failed: 1, replaced: 1, resumed: 1 } });
  });

  it('[A-4] whose CLI died before it read the prompt is replaced by a new conversation', async () => {
    const { pool, clis } = fakePool({ size: 1 }, onPrompt);
    expect(await pool.run({ key: 'a', prompt: 'vanish' })).toMatchObject({ status: 'failed' });
    expect(await pool.run({ key: 'a', prompt: '2' })).toMatchObject({ status: 'finished' });
    expect(resumedBy(clis[1])).toBeUndefined();
  });

  it('[A-4] whose CLI died in the first turn is replaced by a new conversation if nothing is on disk, without failing the next job', async () => {
    const { pool, clis } = fakePool({ size: 1 }, onPrompt, () => {
      const cli = new ConversationCli();
      const start = cli.start.bind(cli);
      cli.start = async (request) => {
        await start(request);
        if (resumedBy(cli)) notFound(cli);
      };
      return cli;
    });
    expect(await pool.run({ key: 'a', prompt: 'die' })).toMatchObject({ status: 'failed' });
    expect(await pool.run({ key: 'a', prompt: '2' })).toMatchObject({ status: 'finished' });
    expect(clis.map((cli) => resumedBy(cli) !== undefined)).toEqual([false, true, false]);

    // A conversation that was on disk and is missing fails the job.
    const lost = await pool.run({ key: 'b', prompt: 'evicts a' }).then(() => pool.run({ key: 'a', prompt: '3' }));
    expect(lost).toMatchObject({ status: 'failed', error: { code: 'cli-exited-during-init' } });
    expect(pool.stats().keys).toBe(1);
    expect(await pool.run({ key: 'a', prompt: '4' })).toMatchObject({ status: 'finished' });
  });

  it('[A-4] resumes the conversation that a job names if the pool has none for the key', async () => {
    const { pool, clis } = fakePool({ size: 1 });
    const id = '11111111-2222-4333-8444-555555555555';
    const first = await pool.run({ key: 'a', prompt: '1', resume: id });
    expect([resumedBy(clis[0]), first.sessionId]).toEqual([id, id]);
    await pool.run({ key: 'b', prompt: '2' });
    await pool.run({ key: 'a', prompt: '3', resume: '99999999-2222-4333-8444-555555555555' });
    expect(resumedBy(clis[2])).toBe(id);
  });

  it('[A-4] fails its job with the start error if it cannot be started, and its slot is freed', async () => {
    const { pool, waitFor } = fakePool({ size: 1 }, echo, () => new FakeCli({ initialize: (cli) => cli.die(3) }));
    for (const prompt of ['1', '2']) {
      const outcome = await pool.run({ key: 'a', prompt });
      expect(outcome).toMatchObject({ status: 'failed', error: { code: 'cli-exited-during-init', exitCode: 3 } });
    }
    await waitFor('session-ended', 2);
    expect(pool.stats()).toMatchObject({ sessions: { stopping: 0, busy: 0 }, totals: { failed: 2 } });
  });

  it('[A-4, S-14] is replaced and its conversation resumed if it stops responding, whether it is idle or busy', async () => {
    const mute = (): FakeCli => {
      const cli = new ConversationCli({ end_session: silence, interrupt: silence });
      cli.ignores.add('EOF');
      if (!made) cli.answers.mcp_status = silence;
      made = true;
      return cli;
    };
    let made = false;
    const limits = { graceMs: 50, termMs: 50 };
    const options = { size: 1, healthCheckMs: 20, healthTimeoutMs: 20, defaults: { limits } };
    const { pool, clis, waitFor } = fakePool(options, onPrompt, mute);
    const first = pool.submit({ key: 'a', prompt: '1' });
    const { sessionId } = await first.outcome;
    expect(await waitFor('session-failed')).toMatchObject({ error: { code: 'session-unhealthy' } });
    expect(await pool.run({ key: 'a', prompt: '2' })).toMatchObject({ status: 'finished' });
    expect(resumedBy(clis[1])).toBe(sessionId);
    expect(await waitFor('session-replaced')).toMatchObject({ replaces: 1 });

    const cut = pool.submit({ key: 'a', prompt: 'hold' });
    await waitFor('job-started', 3);
    for (const cli of clis) cli.answers.mcp_status = silence;
    expect(await cut.outcome).toMatchObject({ status: 'failed', error: { code: 'session-unhealthy' } });
    await expect(cut.text()).rejects.toMatchObject({ code: 'session-unhealthy' });
  }, 15_000);

  it('[A-4, P-7] requests permissions that pool.answerPermission() answers by an id unique in the pool', async () => {
    const asks: PromptHandler = (cli, prompt) => {
      cli.begin(prompt);
      cli.askPermission('p1');
      void cli.answered('p1').then(() => cli.finish(prompt));
    };
    const { pool, clis, waitFor } = fakePool({ size: 2, defaults: { canUseTool: () => decideLater() } }, asks);
    const jobs = ['a', 'b'].map((key) => pool.submit({ id: key, key, prompt: 'go' }));
    await waitFor('permission-requested', 2);
    const pending = pool.pendingPermissions();
    expect(JSON.parse(JSON.stringify(pending))).toEqual(pending);
    const [first = '', second = ''] = pending.map(({ id }) => id);
    expect(pending).toMatchObject([
      { id: expect.stringMatching(/^1:/), job: 'a', key: 'a', toolName: 'Write', requestedAt: expect.any(Number) },
      { id: expect.stringMatching(/^2:/), job: 'b', key: 'b', expiresAt: null },
    ]);
    await pool.answerPermission(second, allow());
    expect(await waitFor('permission-answered')).toMatchObject({ id: second, job: 'b', key: 'b', decision: 'allow' });
    await jobs[1]?.outcome;
    expect(pool.pendingPermissions()).toMatchObject([{ job: 'a' }]);
    expect(clis[0]?.story).not.toContain('answer p1');
    await pool.answerPermission(first, allow());
    await jobs[0]?.outcome;
    for (const id of [first, first.replace(/^1/, '9'), first.slice(2), '1:p1']) {
      await expect(pool.answerPermission(id, allow())).rejects.toMatchObject({ code: 'no-such-permission' });
    }
  });
});

describe('closing a pool', () => {
  it('[A-4] with drain() finishes all jobs, refuses new ones and leaves no process', async () => {
    const { pool, clis, waitFor, events } = fakePool({ size: 1 }, onPrompt);
    const job = pool.submit({ key: 'a', prompt: 'hold' });
    const waiting = pool.submit({ key: 'b', prompt: '2' });
    await waitFor('job-started');
    const drained = pool.drain();
    await expect(pool.submit({ prompt: 'late' }).text()).rejects.toBeInstanceOf(PoolClosedError);
    expect(pool.stats()).toMatchObject({ state: 'draining', queued: 1, running: 1 });
    const prompt = await clis[0]?.got('prompt hold');
    if (prompt) clis[0]?.finish(prompt);
    await drained;
    expect(await Promise.all([job.outcome, waiting.outcome])).toMatchObject([
      { status: 'finished' },
      { status: 'finished' },
    ]);
    expect(clis.every(({ hasExited }) => hasExited)).toBe(true);
    expect(events.at(-1)?.type).toBe('closed');
    expect(pool.stats().state).toBe('closed');
    await pool.drain();
    await pool.close();
  });

  it('[A-4] with close() cancels queued and running jobs and leaves no process', async () => {
    const { pool, clis, waitFor } = fakePool({ size: 1 }, onPrompt);
    const running = pool.submit({ key: 'a', prompt: 'hold' });
    const waiting = pool.submit({ key: 'b', prompt: '2' });
    await waitFor('job-started');
    await pool.close();
    const by = { status: 'cancelled', cancelledBy: 'close' };
    expect(await running.outcome).toMatchObject({ ...by, error: { code: 'session-stopped' } });
    expect(await waiting.outcome).toMatchObject({ ...by, error: { code: 'pool-closed' } });
    expect(await waitFor('stopping')).toMatchObject({ by: 'close' });
    expect(clis.every(({ hasExited }) => hasExited)).toBe(true);
    expect(await pool.run({ prompt: 'late' })).toMatchObject({ status: 'failed', error: { code: 'pool-closed' } });
  });

  it('[A-4] with close() works while processes are starting, and before the first job', async () => {
    const { pool, waitFor } = fakePool({ size: 2 }, echo, () => new FakeCli({ initialize: silence }));
    const job = pool.submit({ key: 'a', prompt: 'never' });
    await waitFor('job-queued');
    await pool.close();
    expect(await job.outcome).toMatchObject({ status: 'cancelled', cancelledBy: 'close' });
    const idle = fakePool();
    await idle.pool.close();
    expect(idle.events.map(({ type }) => type)).toEqual(['stopping', 'closed']);
  });

  it('[A-4] with `await using` ends the iterators of events()', async () => {
    const { pool } = fakePool();
    const types: string[] = [];
    const watched = (async () => {
      for await (const event of pool.events()) types.push(event.type);
    })();
    {
      await using used = pool;
      await used.run({ prompt: 'x' });
    }
    await watched;
    expect(types.at(-1)).toBe('closed');
    for await (const _ of pool.events()) expect.unreachable();
  });
});

/** Simulates 2.1.325 with an unknown conversation. */
function notFound(cli: FakeCli): void {
  const message = `No conversation found with session ID: ${resumedBy(cli)}`;
  cli.answers.initialize = silence;
  cli.say({ type: 'result', subtype: 'error_during_execution', is_error: true, errors: [message], session_id: 's' });
  cli.die(1);
}
