import { describe, expect, it, vi } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory } from '../support/memory-transport.ts';
import { assistant, INIT, result } from '../support/say.ts';

fakeClock();

const RETRY = { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 30_000 };

/** A run that is being read, and how it ended. */
async function reading(options: AgentOptions) {
  const run = inMemory(options);
  const state: { end?: unknown } = {};
  void run.stream.collect().then(({ terminalError }) => {
    state.end = terminalError ?? 'ended';
  });
  await run.stream.started;
  await pass(0);
  return Object.assign(run, { state });
}

describe('timeoutMs', () => {
  it('[Q-12] limits the whole run, whatever the CLI sends', async () => {
    const { transport, state } = await reading({ timeoutMs: 1_000 });
    for (let time = 0; time < 900; time += 100) {
      transport.say(assistant('…'));
      await pass(100);
    }
    await pass(99);
    expect(state.end).toBeUndefined();
    await pass(1);
    expect(state.end).toMatchObject({
      code: 'timeout',
      kind: 'timeoutMs',
      ms: 1_000,
      message: expect.stringContaining('timeoutMs (1000 ms)'),
    });
    expect(transport.signals).toEqual(['interrupt']);
  });

  it('[Q-12] counts from the call, even if the stream is not read', async () => {
    const { stream } = inMemory({ timeoutMs: 1_000 });
    await pass(1_000);
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ kind: 'timeoutMs' });
  });

  it('[Q-12, Q-8] does not fail a run with a result', async () => {
    const { transport, state, stream } = await reading({ timeoutMs: 1_000 });
    await pass(900);
    transport.say(result());
    await pass(100);
    expect(state.end).toBe('ended');
    expect(await stream.text()).toBe('done');
  });

  it('[Q-12, Q-8] can end a run with a result and open work', async () => {
    const { transport, state } = await reading({ timeoutMs: 1_000 });
    transport.say({ type: 'system', subtype: 'task_started', task_id: 'a' }, result());
    await pass(1_000);
    expect(state.end).toMatchObject({ kind: 'timeoutMs' });
  });
});

describe('idleTimeoutMs', () => {
  it('[Q-12] limits the silence; every message restarts it', async () => {
    const { transport, state } = await reading({ idleTimeoutMs: 1_000 });
    for (let round = 0; round < 5; round += 1) {
      await pass(999);
      transport.say(round === 2 ? { type: 'tool_progress' } : assistant('…'));
    }
    await pass(999);
    expect(state.end).toBeUndefined();
    await pass(1);
    expect(state.end).toMatchObject({ code: 'timeout', kind: 'idleTimeoutMs', ms: 1_000 });
    expect(transport.signals).toEqual(['interrupt']);
  });

  it('[Q-12] does not run while an api_retry waits', async () => {
    const { transport, state } = await reading({ idleTimeoutMs: 1_000 });
    transport.say(INIT, RETRY);
    await pass(30_999);
    expect(state.end).toBeUndefined();
    await pass(1);
    expect(state.end).toMatchObject({ kind: 'idleTimeoutMs', ms: 1_000 });
  });

  it('[Q-12] runs again after the retry', async () => {
    const { transport, state } = await reading({ idleTimeoutMs: 1_000 });
    transport.say(RETRY);
    await pass(30_500);
    transport.say(assistant('back'));
    await pass(1_000);
    expect(state.end).toMatchObject({ kind: 'idleTimeoutMs' });
  });

  it('[Q-12] runs again after the retry even if the next message came in the same chunk', async () => {
    const { transport, state } = await reading({ idleTimeoutMs: 1_000 });
    transport.say(RETRY, assistant('back'));
    await pass(1_000);
    expect(state.end).toMatchObject({ kind: 'idleTimeoutMs' });
  });

  it.each([-1e9, 'soon', null])('[Q-12] treats a retry delay of %s as none', async (retry_delay_ms) => {
    const { transport, state } = await reading({ idleTimeoutMs: 1_000 });
    transport.say({ ...RETRY, retry_delay_ms });
    await pass(999);
    expect(state.end).toBeUndefined();
    await pass(1);
    expect(state.end).toMatchObject({ kind: 'idleTimeoutMs' });
  });

  it('[Q-12] does not count the time of a slow reader', async () => {
    const { stream, transport } = inMemory({ idleTimeoutMs: 1_000 });
    const iterator = stream[Symbol.asyncIterator]();
    transport.say(INIT);
    await iterator.next();
    await pass(5_000);
    transport.say(assistant('hi'));
    expect((await iterator.next()).value).toEqual(assistant('hi'));
  });

  it('[Q-12, Q-8] does not fail a run whose result has arrived', async () => {
    const { transport, state } = await reading({ idleTimeoutMs: 100 });
    transport.say(result());
    await pass(1_000);
    expect(state.end).toBe('ended');
  });
});

it('[Q-12] timeoutMs and idleTimeoutMs are disabled by default', async () => {
  const { transport, state } = await reading({});
  await pass(24 * 3_600_000);
  expect(state.end).toBeUndefined();
  transport.say(result());
  transport.end();
  await pass(0);
  expect(state.end).toBe('ended');
});

it('[Q-12, R-4] no timer is left after the end of a run', async () => {
  const { transport, state } = await reading({ timeoutMs: 60_000, idleTimeoutMs: 60_000 });
  transport.say(result());
  transport.end();
  await pass(0);
  expect(state.end).toBe('ended');
  expect(vi.getTimerCount()).toBe(0);
});
