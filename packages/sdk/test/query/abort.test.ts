import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { AbortError } from '../../src/errors/stream.ts';
import { inMemory } from '../support/memory-transport.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { INIT, ORDINARY, STUBBORN, type Step, say } from '../support/say.ts';

const STAYS: readonly Step[] = [{ message: INIT }, { stay: true }];
const reason = new Error('the user left');
const listenersOn = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe('aborting a query', () => {
  it('[Q-12] settles the pending pull immediately, before a stubborn CLI has exited, and then ends the CLI', async () => {
    const controller = new AbortController();
    const run = say([STUBBORN, ...STAYS], { signal: controller.signal, limits: { interruptMs: 1_000, termMs: 10 } });
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    const pending = iterator.next();
    controller.abort(reason);
    const error = await pending.catch((thrown: unknown) => thrown);
    expect(isAlive(run.pid)).toBe(true);
    expect(error).toBeInstanceOf(AbortError);
    expect(error).toMatchObject({ code: 'abort', message: expect.stringContaining('the user left') });
    expect((error as Error).cause).toBe(reason);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    await waitUntil('the CLI has exited', () => !isAlive(run.pid));
    expect(await run.stream.closed).toMatchObject({ ended: 'killed' });
  });

  it('[Q-12] starts nothing before the call', async () => {
    const run = say(STAYS, { signal: AbortSignal.abort(reason) });
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'abort', cause: reason });
    await expect(run.stream.started).rejects.toMatchObject({ code: 'abort' });
    expect(run.events.map(({ type }) => type)).toEqual(['state-changed', 'failed']);
    expect(await run.stream.closed).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
  });

  it('[Q-12, Q-1] in the same tick as the call rejects `started` and the first pull and leaves no process', async () => {
    const controller = new AbortController();
    const run = say(STAYS, { signal: controller.signal });
    controller.abort(reason);
    await expect(run.stream.started).rejects.toMatchObject({ code: 'abort', cause: reason });
    await expect(run.stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'abort' });
    await run.stream.closed;
    for (const event of run.events) if (event.type === 'started') expect(isAlive(Number(event.pid))).toBe(false);
  });

  it('[Q-12, C-4] during the version check takes effect immediately and cancels the check', async () => {
    const controller = new AbortController();
    const run = say(STAYS, {
      signal: controller.signal,
      versionCheck: 'warn',
      forwardSubagentText: true,
      version: [{ stay: true }],
    });
    const from = performance.now();
    controller.abort(reason);
    await expect(run.stream.started).rejects.toMatchObject({ code: 'abort' });
    await run.stream.closed;
    // The check itself may take 5 s.
    expect(performance.now() - from).toBeLessThan(4_000);
    expect(run.warnings).toEqual([]);
  });

  it('[Q-12] without a pending pull rejects the next pull and drops unread messages', async () => {
    const controller = new AbortController();
    const run = say([...ORDINARY, { stay: true }], { signal: controller.signal });
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    controller.abort(reason);
    await expect(iterator.next()).rejects.toMatchObject({ code: 'abort' });
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'abort' });
  });

  it('[Q-12] after the end has no effect', async () => {
    const controller = new AbortController();
    const run = say([...ORDINARY], { signal: controller.signal });
    expect(await run.stream.text()).toBe('done');
    controller.abort(reason);
    expect(await run.stream.text()).toBe('done');
    expect(await run.stream.closed).toMatchObject({ ended: 'by-itself' });
    expect(run.events.map(({ type }) => type)).not.toContain('failed');
  });

  it('[Q-12] accepts any reason, or none', async () => {
    for (const given of [undefined, 'because', { why: 'because' }]) {
      const controller = new AbortController();
      const { stream } = inMemory({ signal: controller.signal });
      controller.abort(given);
      const error = await stream.result().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(AbortError);
      expect((error as Error).cause).toBe(controller.signal.reason);
    }
  });
});

describe('the abort listener of a query', () => {
  it.each([
    ['a successful end', (run: ReturnType<typeof inMemory>) => run.transport.end()],
    ['close()', (run: ReturnType<typeof inMemory>) => run.stream.close()],
    ['a failure', (run: ReturnType<typeof inMemory>) => run.transport.end(3)],
  ])('[Q-12, R-4] is removed after %s', async (_, end) => {
    const { signal } = new AbortController();
    const run = inMemory({ signal });
    await run.stream.started;
    expect(listenersOn(signal)).toBe(1);
    await end(run);
    await run.stream.collect();
    expect(listenersOn(signal)).toBe(0);
  });

  it('[Q-12, R-4] is removed after an abort and after a failed start', async () => {
    const controller = new AbortController();
    const run = inMemory({ signal: controller.signal });
    controller.abort();
    await run.stream.collect();
    expect(listenersOn(controller.signal)).toBe(0);
    const { signal } = new AbortController();
    await say([], { cli: '/nowhere', signal }).stream.collect();
    expect(listenersOn(signal)).toBe(0);
  });
});
