import { describe, expect, it } from 'vitest';
import { isAlive, waitUntil } from '../support/processes.ts';
import { assistant, INIT, ORDINARY, type Run, STUBBORN, type Step, say } from '../support/say.ts';

/** A CLI that writes two messages and then runs until it is ended. */
const STAYS: readonly Step[] = [{ message: INIT }, { message: assistant('hi') }, { stay: true }];
const boom = new Error('boom');

async function exited(run: Run): Promise<void> {
  await waitUntil('the process has exited', () => !isAlive(run.pid));
}

describe('leaving a loop early', () => {
  it('[Q-10, R-3] with break ends the CLI and waits for its exit', async () => {
    const run = say(STAYS);
    for await (const _ of run.stream) break;
    expect(isAlive(run.pid)).toBe(false);
    expect(await run.stream.closed).toMatchObject({ ended: 'interrupted' });
    expect(run.stream.state).toBe('closed');
    expect(run.events.map(({ type }) => type)).toContain('stopped');
  });

  it('[Q-10, R-3] with throw also ends the CLI, and the caller gets the thrown error', async () => {
    const run = say(STAYS);
    const loop = async (): Promise<void> => {
      for await (const _ of run.stream.items()) throw boom;
    };
    await expect(loop()).rejects.toBe(boom);
    expect(isAlive(run.pid)).toBe(false);
  });

  it('[Q-10] with return() also ends the CLI, and the iterator is done', async () => {
    const run = say(STAYS);
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    expect(await iterator.return?.()).toEqual({ value: undefined, done: true });
    expect(isAlive(run.pid)).toBe(false);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('[Q-10, R-2] does not wait for a CLI that ignores signals, which is ended in the background', async () => {
    const limits = { breakWaitMs: 50, interruptMs: 1_500, termMs: 10 };
    const run = say([STUBBORN, { message: INIT }, { stay: true }], { limits });
    for await (const _ of run.stream) break;
    expect(isAlive(run.pid)).toBe(true);
    await exited(run);
    expect(await run.stream.closed).toEqual({ exitCode: null, signal: 'SIGKILL', ended: 'killed' });
  });

  it('[Q-10] with two concurrent return() calls waits no longer than with one', async () => {
    const run = say([STUBBORN, { message: INIT }, { stay: true }], {
      limits: { breakWaitMs: 20, interruptMs: 1_500, termMs: 10 },
    });
    const iterator = run.stream[Symbol.asyncIterator]();
    await iterator.next();
    await Promise.all([iterator.return?.(), iterator.return?.()]);
    expect(isAlive(run.pid)).toBe(true);
  });
});

describe('the cleanup of a query', () => {
  it('[Q-10, R-3] happens at the end of an `await using` block', async () => {
    const run = say(STAYS);
    {
      await using stream = run.stream;
      await stream.started;
    }
    expect(isAlive(run.pid)).toBe(false);
  });

  it.each(['collect', 'result', 'text'] as const)('[Q-10, R-3] leaves no process after %s()', async (helper) => {
    const run = say([STUBBORN, ...ORDINARY, { stay: true }], {
      limits: { drainMs: 20, graceMs: 20, interruptMs: 20, termMs: 20 },
    });
    await run.stream[helper]();
    expect(await run.stream.closed).toMatchObject({ ended: 'killed' });
    expect(isAlive(run.pid)).toBe(false);
  });

  it('[Q-10] is not needed after a failed start, which every helper reports', async () => {
    const run = say([], { cli: '/nowhere' });
    await expect(run.stream.text()).rejects.toMatchObject({ code: 'cli-not-found' });
    expect(run.events.map(({ type }) => type)).toEqual(['state-changed', 'failed']);
  });
});
