import { describe, expect, it } from 'vitest';
import { query } from '../../src/query/query.ts';
import { MemoryTransport } from '../support/memory-transport.ts';
import { isAlive } from '../support/processes.ts';
import { INIT, ORDINARY, STUBBORN, type Step, say } from '../support/say.ts';

const STAYS: readonly Step[] = [{ message: INIT }, { stay: true }];

describe('close()', () => {
  it('[Q-11, R-2] resolves to the exit report after the exit', async () => {
    const run = say(STAYS);
    await run.stream.started;
    const report = await run.stream.close();
    expect(report).toEqual({ exitCode: null, signal: 'SIGINT', ended: 'interrupted' });
    expect(isAlive(run.pid)).toBe(false);
    expect(run.stream.state).toBe('closed');
  });

  it('[Q-11] can be called repeatedly and concurrently, with the same report', async () => {
    const run = say(STAYS);
    await run.stream.started;
    const reports = await Promise.all([run.stream.close(), run.stream.close(), run.stream.closed]);
    reports.push(await run.stream.close());
    expect(new Set(reports.map((report) => JSON.stringify(report))).size).toBe(1);
    expect(run.events.filter(({ type }) => type === 'stopped')).toHaveLength(1);
  });

  it('[Q-11] ends a pending pull without an error', async () => {
    const run = say(STAYS);
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    const pending = iterator.next();
    const closing = run.stream.close();
    expect(await pending).toEqual({ value: undefined, done: true });
    expect(await closing).toMatchObject({ ended: 'interrupted' });
    await expect(run.stream.result()).rejects.toMatchObject({ code: 'no-result' });
  });

  it('[Q-11] ends the loop that calls it', async () => {
    const run = say(STAYS);
    let count = 0;
    for await (const _ of run.stream) {
      count += 1;
      await run.stream.close();
    }
    expect(count).toBe(1);
    expect(isAlive(run.pid)).toBe(false);
  });

  it('[Q-11] drops unread messages', async () => {
    const run = say([...ORDINARY, { stay: true }]);
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    await run.stream.close();
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('[Q-11, R-2] waits for the exit of a CLI that ignores signals', async () => {
    const run = say([STUBBORN, ...STAYS], { limits: { interruptMs: 50, termMs: 50 } });
    await run.stream[Symbol.asyncIterator]().next();
    expect(await run.stream.close()).toEqual({ exitCode: null, signal: 'SIGKILL', ended: 'killed' });
    expect(isAlive(run.pid)).toBe(false);
  });

  it('[Q-11] after the end returns the same exit report', async () => {
    const run = say([...ORDINARY]);
    await run.stream.collect();
    expect(await run.stream.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(run.events.map(({ type }) => type)).not.toContain('stopped');
  });

  it('[Q-11] after a failure also returns the exit report', async () => {
    const run = say([{ exit: 5 }]);
    await run.stream.collect();
    expect(await run.stream.close()).toEqual({ exitCode: 5, signal: null, ended: 'by-itself' });
  });
});

describe('close() during the start', () => {
  it('[Q-11, Q-1] leaves no process, and `started` reports the reason', async () => {
    const run = say(STAYS);
    const report = await run.stream.close();
    expect(report).toMatchObject({ exitCode: null });
    await expect(run.stream.started).rejects.toMatchObject({
      code: 'no-result',
      message: expect.stringContaining('closed before'),
    });
    expect(await run.stream.collect()).toEqual({ items: [], messages: [], warnings: [], errors: [] });
    for (const event of run.events) if (event.type === 'started') expect(isAlive(Number(event.pid))).toBe(false);
  });

  it('[Q-11] resolves if the transport never starts', async () => {
    const transport = new MemoryTransport();
    transport.start = () => new Promise(() => {});
    const stream = query('hello', { transport, limits: { graceMs: 20 } });
    expect(await stream.close()).toMatchObject({ exitCode: null, signal: null });
  });

  it('[Q-11, C-4] does not wait for a hanging version check, and leaves no process of it', async () => {
    const run = say(STAYS, {
      // This flag needs a recent release, so the version is checked first.
      forwardSubagentText: true,
      version: [{ stay: true }],
    });
    const from = performance.now();
    await run.stream.close();
    // The check itself may take 5 s.
    expect(performance.now() - from).toBeLessThan(4_000);
    expect(run.events.map(({ type }) => type)).toEqual(['state-changed', 'stopped']);
  });
});
