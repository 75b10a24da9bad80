import { describe, expect, it } from 'vitest';
import { AbortError } from '../../src/errors/stream.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { fakePool, hold } from '../pool/fake-pool.ts';
import { FakeCli, open, silence, start } from '../support/fake-cli.ts';
import { inMemory } from '../support/memory-transport.ts';

const KEY = 'my-own-key-0123456789';

/** Runs that a signal can abort. Each returns its error and the events of the run. */
const RUNS: Readonly<Record<string, (signal: AbortSignal, abort: () => void) => Promise<[unknown, RunEvent[]]>>> = {
  'a query': async (signal, abort) => {
    const { stream, events } = inMemory({ signal, apiKey: KEY });
    await stream.started;
    abort();
    const error = await stream.result().catch((reason: unknown) => reason);
    await stream.closed;
    return [error, events];
  },
  'a query aborted before its start': async (signal, abort) => {
    abort();
    const { stream, events } = inMemory({ signal, apiKey: KEY });
    const error = await stream.result().catch((reason: unknown) => reason);
    await stream.closed;
    return [error, events];
  },
  'a turn': async (signal, abort) => {
    const { session, cli, events } = await start({ apiKey: KEY });
    const turn = session.send('one', { signal });
    await cli.got('prompt one');
    abort();
    return [await turn.result().catch((error: unknown) => error), events];
  },
  'the start of a session': async (signal, abort) => {
    const cli = new FakeCli({ initialize: silence });
    const { session, events } = open(cli, { signal, apiKey: KEY });
    await cli.got('initialize');
    abort();
    const error = await session.ready.catch((reason: unknown) => reason);
    await session.closed;
    return [error, events];
  },
  'a request': async (signal, abort) => {
    const { session, cli, events } = await start({ apiKey: KEY }, new FakeCli({ slow: silence }));
    const request = session.request('slow', {}, { signal });
    await cli.got('slow');
    abort();
    return [await request.catch((error: unknown) => error), events];
  },
  'a job': async (signal, abort) => {
    const { pool, waitFor, events } = fakePool({ defaults: { apiKey: KEY } }, hold);
    const job = pool.submit({ prompt: 'hold' }, { signal });
    await waitFor('job-started');
    abort();
    const error = await job.result().catch((reason: unknown) => reason);
    await waitFor('job-ended');
    // The events are plain data as well.
    return [error, events as unknown as RunEvent[]];
  },
};

function cyclic(): object {
  const reason: Record<string, unknown> = { job: 7 };
  reason.self = reason;
  return reason;
}

const throwing = (): never => {
  throw new Error('no');
};

const REASONS: readonly (readonly [string, () => unknown, unknown])[] = [
  ['refers to itself', cyclic, { job: 7, self: '[circular]' }],
  ['contains a secret', () => ({ headers: { auth: KEY } }), { headers: { auth: '[redacted]' } }],
  ['is an error with a secret', () => new Error(`revoked ${KEY}`), { name: 'Error', message: 'revoked [redacted]' }],
  [
    'throws when it is read',
    () => Object.defineProperty({}, 'x', { enumerable: true, get: throwing }),
    '[cannot be shown]',
  ],
  ['throws as JSON', () => ({ toJSON: throwing }), '[cannot be shown]'],
  [
    'cannot be asked anything',
    () => new Proxy({}, { get: throwing, getPrototypeOf: throwing, ownKeys: throwing, has: throwing }),
    '[cannot be shown]',
  ],
  [
    'is an error without a readable message',
    () => Object.defineProperty(new Error(), 'message', { get: throwing }),
    { name: 'Error', message: 'it threw a value that cannot be shown' },
  ],
  ['holds a bigint', () => ({ n: 1n }), { n: '1' }],
];

describe.each(Object.entries(RUNS))('the abort reason of %s', (_, run) => {
  it.each(REASONS)(
    '[E-7, Q-12] %s: becomes the cause of the error, and the JSON has no secrets',
    async (_, make, shown) => {
      const controller = new AbortController();
      const reason = make();
      const [error, events] = await run(controller.signal, () => controller.abort(reason));
      expect(error).toBeInstanceOf(AbortError);
      if (!(error instanceof AbortError)) return;
      expect(error.cause === reason).toBe(true);
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: 'abort', cause: shown });
      expect(error.message).not.toContain(KEY);
      expect(JSON.stringify(events)).not.toContain(KEY);
    },
  );
});

it('[E-7] a signal with an unreadable reason still aborts', async () => {
  const controller = new AbortController();
  Object.defineProperty(controller.signal, 'reason', { get: throwing });
  const { stream } = inMemory({ signal: controller.signal });
  await stream.started;
  controller.abort();
  await expect(stream.result()).rejects.toMatchObject({ code: 'abort', cause: { message: 'no' } });
});

it('[E-7] an error with a circular cause can be converted to JSON', () => {
  const reason: Record<string, unknown> = {};
  const error = new AbortError(reason);
  reason.error = error;
  expect(() => JSON.stringify(error)).not.toThrow();
});
