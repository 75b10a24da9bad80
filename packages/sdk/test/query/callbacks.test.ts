import { describe, expect, it } from 'vitest';
import type { AgentOptions, Logger } from '../../src/options/option-types.ts';
import { INIT, result, type Step, say } from '../support/say.ts';

const STEPS: readonly Step[] = [
  { err: 'hm\n' },
  { message: INIT },
  { out: 'noise\n' },
  { message: { type: 'news' } },
  { message: result() },
  { exit: 4 },
];

const thrower = (): never => {
  throw new Error('from a callback');
};
const rejecter = (): Promise<never> => Promise.reject(new Error('from a callback, later'));
const thenable = (): object => ({
  // biome-ignore lint/suspicious/noThenProperty: a foreign promise is the subject of this test.
  then: (_: unknown, reject: (reason: Error) => void) => reject(new Error('from a foreign promise')),
});
const loggerOf = (call: () => void): Logger => ({ trace: call, debug: call, info: call, warn: call, error: call });

describe('a failing callback of a query', () => {
  it.each([
    ['throws', thrower],
    ['rejects', rejecter],
    ['returns a thenable that rejects', thenable],
  ])('[E-4, E-6, Q-2] has no effect if it %s', async (_, call) => {
    const callback = call as () => void; // Callers often pass async functions.
    const options: AgentOptions = {
      onEvent: callback,
      onWarning: callback,
      onStderr: callback,
      logger: loggerOf(callback),
    };
    const { stream } = say(STEPS, options);
    const seen: string[] = [];
    for await (const message of stream) seen.push(message.type);
    expect(seen).toEqual(['system', 'news', 'result']);
    expect(await stream.text()).toBe('done');
    expect(stream.warnings.map(({ code }) => code)).toEqual([
      'undecodable-line',
      'unknown-message-type',
      'non-zero-exit-after-result',
    ]);
    expect(await stream.closed).toEqual({ exitCode: 4, signal: null, ended: 'by-itself' });
  });

  it('[E-4] has no effect on a failed start or an abort', async () => {
    const options: AgentOptions = {
      onEvent: thrower,
      onWarning: thrower,
      onStderr: thrower,
      logger: loggerOf(thrower),
    };
    await expect(say([], { ...options, cli: '/nowhere' }).stream.result()).rejects.toMatchObject({
      code: 'cli-not-found',
    });
    const controller = new AbortController();
    const { stream } = say([{ stay: true }], { ...options, signal: controller.signal });
    controller.abort();
    await expect(stream.result()).rejects.toMatchObject({ code: 'abort' });
    expect(await stream.closed).toMatchObject({ exitCode: null });
  });

  it('[E-4, Q-11] may close the stream', async () => {
    const { stream } = say([{ message: INIT }, { message: { type: 'news' } }, { stay: true }], {
      onWarning: () => void stream.close(),
    });
    const seen: string[] = [];
    for await (const message of stream) seen.push(message.type);
    expect(seen).toEqual(['system']);
    expect(await stream.closed).toMatchObject({ ended: 'interrupted' });
  });

  it('[E-4] does not hide an exception of the loop body', async () => {
    const { stream } = say(STEPS, { onEvent: thrower, onWarning: thrower });
    const loop = async (): Promise<void> => {
      for await (const _ of stream) thrower();
    };
    await expect(loop()).rejects.toThrow('from a callback');
  });
});
