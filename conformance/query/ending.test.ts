import { getEventListeners } from 'node:events';
import { apiError, text, toolUse, until } from '@coxswain/testkit';
import { textOf } from 'coxswain';
import { AbortError, TimeoutError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { waitUntil } from '../harness/wait-until.ts';

const FOREVER = until(new Promise(() => {}));

/** A reply that starts and never ends. */
const HANGS = [text('and then'), FOREVER];

/** A command that does not end; 2.1.325 refuses a plain `sleep` in the foreground. */
const WAITING = 'tail -f /dev/null';

/** The CLI exits on the first signal, SIGINT, even on a busy machine. */
const limits = { interruptMs: 20_000 };

describe.each(testedVersions)('a turn of %s with a running Bash', (version) => {
  it('[Q-12, R-1, R-2, R-3] is aborted: the reader gets the error immediately, and no process remains', async () => {
    await using scene = await openScene([toolUse('Bash', { command: WAITING })], { version });
    const controller = new AbortController();
    const stream = scene.query('run it', { allowedTools: ['Bash'], signal: controller.signal, limits });
    const read = stream.collect();
    await bashRuns(scene);

    const reason = new Error('changed my mind');
    let ended = false;
    void stream.closed.then(() => {
      ended = true;
    });
    controller.abort(reason);
    const { terminalError } = await read;
    expect(ended).toBe(false);
    expect(terminalError).toBeInstanceOf(AbortError);
    expect(terminalError?.cause).toBe(reason);
    expect(await stream.closed).toMatchObject({ ended: 'interrupted' });
    await noneLeft(scene);
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });

  it('[Q-10, R-3] ends within a second after a break from the loop, and no process remains', async () => {
    await using scene = await openScene([toolUse('Bash', { command: WAITING })], { version });
    const stream = scene.query('run it', { allowedTools: ['Bash'], limits });
    let leftAt = 0;
    for await (const message of stream) {
      if (message.type !== 'assistant') continue;
      await bashRuns(scene);
      leftAt = performance.now();
      break;
    }
    expect(performance.now() - leftAt).toBeLessThan(5_000);
    expect(await stream.closed).toMatchObject({ ended: 'interrupted' });
    await noneLeft(scene);
  });
});

describe.concurrent.each(testedVersions)('a turn of %s that waits for the API', (version) => {
  it('[Q-11, R-2] ends with close(), and so does the pending read', async () => {
    await using scene = await openScene([HANGS], { version });
    const stream = scene.query('continue', { limits });
    const reader = stream[Symbol.asyncIterator]();
    for (let next = await reader.next(); next.value?.type !== 'assistant'; next = await reader.next());

    const pull = reader.next();
    const closing = stream.close();
    expect(await pull).toEqual({ done: true, value: undefined });
    const report = await closing;
    expect(report).toMatchObject({ ended: 'interrupted' });
    expect(scene.processes()).toEqual([]);
    expect(await stream.close()).toEqual(report);
    await expect(stream.result()).rejects.toMatchObject({ code: 'no-result' });
  });

  it('[Q-12] ends after timeoutMs', async () => {
    await using scene = await openScene([[FOREVER]], { version });
    const startedAt = performance.now();
    const stream = scene.query('continue', { timeoutMs: 1_500 });
    const { terminalError } = await stream.collect();
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(1_490);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(terminalError).toBeInstanceOf(TimeoutError);
    expect(terminalError).toMatchObject({ kind: 'timeoutMs', ms: 1_500 });
    expect(await stream.closed).not.toHaveProperty('error');
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-12] ends idleTimeoutMs after the last message, and is not idle while it waits for a retry', async () => {
    // The clock also runs while the CLI starts, and the first start of a release reads 230 MB from disk.
    const idleTimeoutMs = 6_000;
    await using scene = await openScene([apiError(529, { retryAfterSeconds: 7 }), HANGS], { version });
    const stream = scene.query('continue', { idleTimeoutMs, limits });
    const { items, terminalError } = await stream.collect();
    const silentMs = Date.now() - (items.at(-1)?.at ?? 0);
    const messages = items.flatMap((item) => (item.kind === 'message' ? item.message : []));
    expect(messages.map(({ type }) => type)).toEqual(['system', 'system', 'assistant']);
    expect(messages.filter((message) => message.type === 'assistant').map(textOf)).toEqual(['and then']);
    expect(scene.api.conversation).toHaveLength(2);
    expect(silentMs).toBeGreaterThanOrEqual(idleTimeoutMs - 10);
    expect(silentMs).toBeLessThan(idleTimeoutMs + 10_000);
    expect(terminalError).toMatchObject({ code: 'timeout', kind: 'idleTimeoutMs', ms: idleTimeoutMs });
    expect(await stream.closed).toMatchObject({ ended: 'interrupted' });
    expect(scene.processes()).toEqual([]);
  });
});

describe.concurrent('a turn that waits for the API', () => {
  it('[Q-10] ends when the body of the loop throws', async () => {
    await using scene = await openScene([HANGS]);
    const loop = async (): Promise<void> => {
      for await (const message of scene.query('continue')) if (message.type === 'assistant') throw new Error('enough');
    };
    await expect(loop()).rejects.toThrow('enough');
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-10] ends with await using', async () => {
    await using scene = await openScene([HANGS]);
    {
      await using stream = scene.query('continue');
      for await (const message of stream) if (message.type === 'system' && message.subtype === 'init') break;
    }
    expect(scene.processes()).toEqual([]);
  });

  it('[Q-11, Q-12] ends before it has started', async () => {
    await using scene = await openScene([HANGS]);
    const closed = scene.query('continue');
    await closed.close();
    const aborted = scene.query('continue', { signal: AbortSignal.abort('not at all') });
    await expect(aborted.text()).rejects.toMatchObject({ code: 'abort', cause: 'not at all' });
    await aborted.closed;
    expect(scene.processes()).toEqual([]);
    expect(scene.api.requests).toEqual([]);
  });
});

async function bashRuns(scene: Scene): Promise<void> {
  const runs = (): boolean => scene.processes().some(({ command }) => command === WAITING);
  await waitUntil(runs, { timeoutMs: 20_000, what: 'the running Bash' });
}
