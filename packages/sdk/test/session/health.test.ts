import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { PendingCallback } from '../../src/callbacks/callback-request.ts';
import type { LifecycleState } from '../../src/connection/state.ts';
import { judgeHealth, type Vitals } from '../../src/session/health.ts';
import { FakeCli, open, refusal, settle, silence, start } from '../support/fake-cli.ts';

const NOW = 10_000_000;
const WELL: Vitals = { state: 'running', now: NOW, lastFrameAt: NOW, turnRuns: false, requests: [], callbacks: [] };
const request = (ageMs: number): Vitals['requests'][number] => ({ id: 'req_1', kind: 'set_model', since: NOW - ageMs });
const slow = (age: number): Vitals['requests'][number] => ({ ...request(age), kind: 'rewind_files' });
const callback = (sinceMs: number, kind: 'hook' | 'permission' = 'hook'): PendingCallback => ({
  kind,
  id: 'u',
  name: kind === 'hook' ? 'hook_0' : 'canUseTool',
  event: 'PreToolUse',
  tool: 'Bash',
  state: 'running',
  sinceMs,
});

describe('the health of a session', () => {
  it.each<[string, Partial<Vitals>, string, RegExp | undefined]>([
    ['all is well', {}, 'healthy', undefined],
    ['it is starting', { state: 'starting' }, 'degraded', /is starting/],
    ['its handshake is unanswered', { state: 'init-sent' }, 'degraded', /is starting/],
    ['it is being stopped', { state: 'stopping' }, 'degraded', /being stopped/],
    ['it was stopped', { state: 'stopped' }, 'unhealthy', /is stopped/],
    ['it has ended', { state: 'ended' }, 'unhealthy', /is ended/],
    ['it has failed', { state: 'failed' }, 'unhealthy', /is failed/],
    ['a request waits for 10 s', { requests: [request(10_000)] }, 'healthy', undefined],
    [
      'the oldest request waits for longer than 10 s',
      { requests: [request(1), request(10_001)] },
      'unhealthy',
      /unanswered for 10001 ms/,
    ],
    ['files are being rewound for a minute', { requests: [slow(60_000)] }, 'healthy', undefined],
    [
      'files are being rewound for longer than a minute',
      { requests: [slow(60_001)] },
      'unhealthy',
      /\(rewind_files\) has been unanswered for 60001 ms/,
    ],
    ['a hook runs for a minute', { callbacks: [callback(60_000)] }, 'healthy', undefined],
    [
      'a hook runs for longer than a minute',
      { callbacks: [callback(60_001)] },
      'degraded',
      /hook_0 has been running for 60001 ms/,
    ],
    [
      'a permission waits for an hour',
      { turnRuns: true, callbacks: [callback(3_600_000, 'permission')] },
      'healthy',
      undefined,
    ],
    ['a turn is silent for 2 min', { turnRuns: true, lastFrameAt: NOW - 120_000 }, 'healthy', undefined],
    [
      'a turn is silent for longer than 2 min',
      { turnRuns: true, lastFrameAt: NOW - 120_001 },
      'degraded',
      /nothing for 120001 ms/,
    ],
    [
      'it is silent while a callback runs',
      { turnRuns: true, lastFrameAt: 0, callbacks: [callback(5)] },
      'healthy',
      undefined,
    ],
    ['it is silent while no turn runs', { lastFrameAt: 0 }, 'healthy', undefined],
  ])('[S-14] when %s', (_, vitals, status, reason) => {
    const health = judgeHealth({ ...WELL, ...vitals });
    expect(health.status).toBe(status);
    if (reason) expect(health).toMatchObject({ reason: expect.stringMatching(reason) });
    else expect(health).toEqual({ status: 'healthy' });
  });

  it('[S-14] is determined by a final state first', () => {
    for (const state of ['stopped', 'ended', 'failed'] satisfies LifecycleState[]) {
      expect(judgeHealth({ ...WELL, state, requests: [request(99_999)] })).toMatchObject({
        reason: `the session is ${state}`,
      });
    }
  });

  it('[S-14] is reported without a request to the CLI', async () => {
    const cli = new FakeCli({ set_model: silence });
    const { session } = await start({}, cli);
    expect(session.health()).toEqual({ status: 'healthy' });
    session.setModel('m').catch(() => {});
    expect(session.health()).toEqual({ status: 'healthy' });
    expect(cli.story).toEqual(['initialize', 'set_model']);
    const stopped = session.close();
    expect(session.health()).toMatchObject({ status: 'degraded' });
    await stopped;
    expect(session.health()).toEqual({ status: 'unhealthy', reason: 'the session is stopped' });
  });

  it('[S-14, X-1] is probed with ping() and with health({ probe: true })', async () => {
    const cli = new FakeCli({ mcp_status: refusal('not now') });
    const { session } = await start({}, cli);
    // A refusal counts as an answer.
    expect(await session.ping()).toBeGreaterThanOrEqual(0);
    expect(await session.health({ probe: true })).toEqual({ status: 'healthy' });
    expect(cli.story).toEqual(['initialize', 'mcp_status', 'mcp_status']);

    cli.answers.mcp_status = silence;
    await expect(session.ping({ timeoutMs: 5 })).rejects.toMatchObject({ code: 'control-timeout' });
    expect(session.health()).toEqual({ status: 'healthy' });
    expect(await session.health({ probe: true, timeoutMs: 5 })).toMatchObject({
      status: 'unhealthy',
      reason: expect.stringMatching(/^the CLI did not answer: /),
    });
    await session.close();
    await expect(session.ping()).rejects.toMatchObject({ code: 'session-stopped' });
    expect(await session.health({ probe: true })).toEqual({ status: 'unhealthy', reason: 'the session is stopped' });
  });

  it('[S-14] degrades over time: old requests, slow hooks, silence in a turn', async () => {
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    const cli = new FakeCli({ set_model: silence });
    const { session } = await start(
      { hooks: { PreToolUse: { run: () => new Promise(() => {}), timeoutMs: 300_000 } } },
      cli,
    );
    const healthAfter = (ms: number): unknown => {
      now += ms;
      return session.health();
    };
    // Without requests.
    expect(healthAfter(3_600_000)).toEqual({ status: 'healthy' });

    session
      .send('hello')
      .result()
      .catch(() => {});
    const prompt = await cli.got('prompt hello');
    cli.begin(prompt);
    await settle();
    expect(healthAfter(120_000)).toEqual({ status: 'healthy' });
    expect(healthAfter(1)).toEqual({ status: 'degraded', reason: 'the CLI has sent nothing for 120001 ms' });

    cli.askHook('h1');
    await settle();
    expect(healthAfter(60_000)).toEqual({ status: 'healthy' });
    expect(healthAfter(1)).toEqual({ status: 'degraded', reason: 'hook_0 has been running for 60001 ms' });
    cli.say({ type: 'control_cancel_request', request_id: 'h1' });
    cli.finish(prompt);
    await settle();
    expect(session.health()).toEqual({ status: 'healthy' });

    session.setModel('m').catch(() => {});
    await cli.got('set_model');
    expect(healthAfter(10_000)).toEqual({ status: 'healthy' });
    expect(healthAfter(1)).toEqual({
      status: 'unhealthy',
      reason: 'a control request (set_model) has been unanswered for 10001 ms',
    });

    cli.die(1);
    await session.closed;
    expect(session.health()).toEqual({ status: 'unhealthy', reason: 'the session is failed' });
  });

  it('[S-14] is degraded before the session is ready, and unhealthy if it failed to start', async () => {
    const { session } = open(new FakeCli({ initialize: refusal('no') }));
    expect(session.health()).toEqual({ status: 'degraded', reason: 'the session is starting' });
    await expect(session.ready).rejects.toThrow();
    await session.closed;
    expect(session.health()).toEqual({ status: 'unhealthy', reason: 'the session is failed' });
  });
});
