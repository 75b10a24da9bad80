import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startHost } from '../support/hosts.ts';
import { inMemory } from '../support/memory-transport.ts';
import { bytesWrittenBy, isAlive, processOf, waitUntil } from '../support/processes.ts';
import { assistant, cliPath } from '../support/say.ts';

const MB = 1024 * 1024;

/** The peak resident memory of a process. */
function memoryOf(pid: number): number {
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1024;
}

/** Waits until a process sleeps and no longer writes: its pipe is full. */
async function blocked(pid: number): Promise<void> {
  let written = -1;
  let since = performance.now();
  await waitUntil(
    'the CLI is held up',
    () => {
      const now = bytesWrittenBy(pid);
      if (now !== written || processOf(pid)?.state !== 'S') since = performance.now();
      written = now;
      return performance.now() - since > 300;
    },
    10_000,
  );
}

describe('a paused reader of a query', () => {
  it('[Q-13] pauses the CLI, so that the host holds almost none of 1,000,000 messages', {
    timeout: 30_000,
  }, async () => {
    const host = startHost('../query-hosts/stops-reading.mjs', cliPath('floods.mjs'));
    const cli = Number(await host.line());
    expect(await host.line()).toBe('stopped');
    await blocked(cli);
    // limits.bufferBytes, one chunk, the pipe.
    expect(bytesWrittenBy(cli)).toBeLessThan(9 * MB);
    expect(memoryOf(host.pid)).toBeLessThan(120 * MB);
    host.process.stdin?.write('go on\n');
    expect(await host.exited).toEqual({ code: 0, signal: null });
    expect(isAlive(cli)).toBe(false);
  });

  it('[Q-13] receives the next chunk only after all items of the previous one', async () => {
    const { stream, transport } = inMemory();
    await stream.started;
    transport.say(assistant('1'), assistant('2'));
    transport.say(assistant('3'));
    await nothingToDo();
    expect(transport.output.pulls).toBe(0);
    const iterator = stream[Symbol.asyncIterator]();
    await iterator.next();
    await iterator.next();
    await nothingToDo();
    expect(transport.output.pulls).toBe(1);
    await iterator.next();
    await nothingToDo();
    expect(transport.output.pulls).toBe(2);
  });
});

describe('awaiting only the result of a query', () => {
  it('[Q-13, Q-2] discards 100,000 messages as they arrive', { timeout: 30_000 }, async () => {
    const host = startHost('../query-hosts/only-result.mjs', cliPath('floods.mjs'));
    expect(await host.line()).toBe('done');
    expect(Number(await host.line())).toBeLessThan(160 * MB);
    expect(await host.exited).toEqual({ code: 0, signal: null });
  });
});

/** Lets all pending microtasks and immediates run. */
async function nothingToDo(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
