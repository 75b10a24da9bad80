import { describe, expect, it } from 'vitest';
import { OptionsError } from '../../src/errors/options.ts';
import type { PoolOptions } from '../../src/pool/options.ts';
import { fakePool } from './fake-pool.ts';

// The type forbids a promise; a program without types, or a loose function type, does not.
const strict = (async () => ({ disallowedTools: ['Bash'] })) as unknown as NonNullable<PoolOptions['session']>;
const failing = (async () => {
  throw new Error('the database is down');
}) as unknown as NonNullable<PoolOptions['session']>;

class Lazy {
  // biome-ignore lint/suspicious/noThenProperty: what query builders are.
  then(take: (own: object) => void): void {
    take({ disallowedTools: ['Bash'] });
  }
}
const thenable = (() => new Lazy()) as unknown as NonNullable<PoolOptions['session']>;

describe('session(key) that gives a promise', () => {
  it.each([
    ['of options', strict, 0],
    ['of options, where any session would do', strict, 1],
    ['of another make', thenable, 0],
    // That nobody hears of the rejection is what every test here is checked for.
    ['that rejects', failing, 0],
    ['that rejects, where any session would do', failing, 1],
  ])('[A-4, O-4] %s fails the job, and no session is started for it', async (_, session, prewarm) => {
    const { pool, clis } = fakePool({ size: 2, session, prewarm });
    const job = pool.submit({ key: 'a', prompt: 'hello' });
    const problem = await job.result().catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(OptionsError);
    expect(problem).toMatchObject({ problems: [{ path: 'session', message: expect.stringContaining('promise') }] });
    expect(await job.outcome).toMatchObject({ status: 'failed', error: { code: 'options' } });
    expect(clis.flatMap(({ story }) => story).filter((words) => words.startsWith('prompt'))).toEqual([]);
  });
});
