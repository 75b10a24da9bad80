import { describe, expect, it } from 'vitest';
import { OptionsError } from '../../src/errors/options.ts';
import type { PoolOptions } from '../../src/pool/options.ts';
import { fakePool } from './fake-pool.ts';

// The type does not allow a promise, but JavaScript and loose function types do.
const strict = (async () => ({ disallowedTools: ['Bash'] })) as unknown as NonNullable<PoolOptions['session']>;
const failing = (async () => {
  throw new Error('the database is down');
}) as unknown as NonNullable<PoolOptions['session']>;

class Lazy {
  // biome-ignore lint/suspicious/noThenProperty: query builders look like this.
  then(take: (own: object) => void): void {
    take({ disallowedTools: ['Bash'] });
  }
}
const thenable = (() => new Lazy()) as unknown as NonNullable<PoolOptions['session']>;

describe('session(key) that returns a promise', () => {
  it.each([
    ['a promise of options', strict, 0],
    ['a promise of options, with a prewarmed session', strict, 1],
    ['a thenable', thenable, 0],
    // Every test fails on an unhandled rejection.
    ['a promise that rejects', failing, 0],
    ['a promise that rejects, with a prewarmed session', failing, 1],
  ])('[A-4, O-4] fails the job and starts no session: %s', async (_, session, prewarm) => {
    const { pool, clis } = fakePool({ size: 2, session, prewarm });
    const job = pool.submit({ key: 'a', prompt: 'hello' });
    const problem = await job.result().catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(OptionsError);
    expect(problem).toMatchObject({ problems: [{ path: 'session', message: expect.stringContaining('promise') }] });
    expect(await job.outcome).toMatchObject({ status: 'failed', error: { code: 'options' } });
    expect(clis.flatMap(({ story }) => story).filter((words) => words.startsWith('prompt'))).toEqual([]);
  });
});
