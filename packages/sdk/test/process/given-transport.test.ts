import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import { query } from '../../src/query/query.ts';
import { openRawSession } from '../../src/raw/index.ts';
import type { RunEvent } from '../../src/report/events.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { Deferred } from '../../src/timing/timers.ts';
import { FakeCli, settle } from '../support/fake-cli.ts';

/** A custom adapter, as untyped as in JavaScript. */
type Adapter = Readonly<Pick<AgentOptions, 'transport' | 'spawn'>>;

const QUICK = { graceMs: 200, termMs: 200, interruptMs: 100, exitReadMs: 100, drainMs: 100, startTimeoutMs: 2_000 };
const common = (adapter: Adapter): AgentOptions => ({
  cli: process.execPath,
  versionCheck: 'off',
  orphanGuard: false,
  limits: QUICK,
  ...adapter,
});

/** How a run is closed, and the promise of its start. */
function begunBy<N extends string>(
  run: { close(): Promise<unknown> } & Readonly<Record<N, Promise<unknown>>>,
  name: N,
): { close(): Promise<unknown>; begun: Promise<unknown> } {
  return { close: () => run.close(), begun: run[name] };
}

/** Each way to run a CLI. Returns the caller's error once everything is closed. */
const ENTRIES: Readonly<Record<string, (adapter: Adapter) => Promise<unknown>>> = {
  query: async (adapter) => {
    const stream = query('hello', common(adapter));
    const error = await stream.result().catch((reason: unknown) => reason);
    await stream.close();
    return error;
  },
  'a query with callbacks': async (adapter) => {
    const stream = query('hello', { ...common(adapter), hooks: { Stop: () => undefined } });
    const error = await stream.result().catch((reason: unknown) => reason);
    await stream.close();
    return error;
  },
  session: async (adapter) => {
    const session = openSession(common(adapter));
    const error = await session
      .send('hello')
      .result()
      .catch((reason: unknown) => reason);
    await session.close();
    return error;
  },
  'a session that restarts': async (adapter) => {
    const session = openSession({ ...common(adapter), restart: { delayMs: 0, maxRestarts: 1, firstStart: 'retry' } });
    const error = await session
      .send('hello')
      .result()
      .catch((reason: unknown) => reason);
    await session.close();
    // The restart limit wraps the error.
    return error instanceof Error && isCoxswainError(error, 'restart-limit') ? error.cause : error;
  },
  pool: async (adapter) => {
    const pool = createPool({ size: 1, defaults: common(adapter) });
    const error = await pool
      .submit({ prompt: 'hello' })
      .result()
      .catch((reason: unknown) => reason);
    await pool.close();
    return error;
  },
  client: async (adapter) => {
    const stream = createClient(common(adapter)).query('hello');
    const error = await stream.result().catch((reason: unknown) => reason);
    await stream.close();
    return error;
  },
};

const as = <T>(adapter: unknown): T => adapter as T;
const throwing = (): never => {
  throw new Error('no host is free');
};
const FACTORIES: readonly (readonly [string, Adapter, RegExp])[] = [
  [
    'transport: () => undefined',
    { transport: as(() => undefined) },
    /option transport provided undefined, not a transport/,
  ],
  ['transport: () => ({})', { transport: as(() => ({})) }, /has no start\(\), write\(\), endInput\(\), signal\(\)/],
  ['a transport that throws', { transport: throwing }, /option transport failed: no host is free/],
  ['an async transport', { transport: as(async () => new FakeCli()) }, /option transport provided a promise/],
  ['an async transport that rejects', { transport: as(async () => throwing()) }, /option transport provided a promise/],
  ['spawn: () => undefined', { spawn: as(() => undefined) }, /option spawn provided undefined, not a process/],
  ['spawn: () => ({})', { spawn: as(() => ({})) }, /has no kill\(\), on\(\), once\(\)/],
  ['a spawn that throws', { spawn: throwing }, /option spawn failed: no host is free/],
  ['an async spawn that rejects', { spawn: as(async () => throwing()) }, /option spawn provided a promise/],
];

describe.each(Object.entries(ENTRIES))('%s', (_, run) => {
  it.each(FACTORIES)(
    '[E-4, A-1] fails with a typed start error for %s, and close() resolves',
    async (_, adapter, message) => {
      const error = await run(adapter);
      expect(error).toMatchObject({ code: 'spawn', reason: 'adapter', message: expect.stringMatching(message) });
    },
  );
});

describe('openRawSession', () => {
  const raw = (options: object) =>
    openRawSession({ argv: [process.execPath], env: {}, limits: QUICK, orphanGuard: false, ...options });

  it.each([
    ['a transport that is not one', { transport: {} }, /has no start\(\)/],
    ['spawn: () => undefined', { spawn: () => undefined }, /option spawn provided undefined, not a process/],
    ['a spawn that throws', { spawn: throwing }, /option spawn failed: no host is free/],
  ])('[E-4, A-1] fails with a typed start error for %s, and close() resolves', async (_, options, message) => {
    const session = raw(options);
    const expected = { code: 'spawn', reason: 'adapter', message: expect.stringMatching(message) };
    await expect(session.started).rejects.toMatchObject(expected);
    await expect(session.handshake).rejects.toMatchObject(expected);
    expect(await session.close()).toMatchObject({ failure: expected });
  });
});

/** A working transport, except for the given parts. */
function broken(parts: object): FakeCli {
  const cli = new FakeCli();
  onTestFinished(() => cli.die());
  return new Proxy(cli, {
    get: (target, name) => {
      const value: unknown = name in parts ? Reflect.get(parts, name) : Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const rejected = (): Promise<never> => Promise.reject(new Error('broken'));

describe('a transport that violates its contract', () => {
  it.each<[string, () => object]>([
    ['`exited` rejects', () => ({ exited: handled(rejected()) })],
    ['`exited` resolves to nothing', () => ({ exited: Promise.resolve() })],
    ['`exited` is missing', () => ({ exited: undefined })],
    [
      '`exited` throws',
      () => ({
        get exited() {
          return throwing();
        },
      }),
    ],
    ['`output` is missing', () => ({ output: undefined })],
    [
      '`output` throws',
      () => ({
        get output() {
          return throwing();
        },
      }),
    ],
    ['`output` yields text', () => ({ output: textOutput() })],
    ['`output` cannot be ended', () => ({ output: stuckOutput() })],
    ['start() throws', () => ({ start: () => throwing() })],
    ['start() rejects', () => ({ start: rejected })],
    ['start() rejects with nothing', () => ({ start: () => Promise.reject() })],
  ])('[E-4, A-1] %s: every run fails with a typed error, and close() resolves', async (_, parts) => {
    for (const run of Object.values(ENTRIES)) {
      const error = await run({ transport: () => broken(parts()) });
      expect(isCoxswainError(error), String(error)).toBe(true);
    }
  });

  it.each<[string, object]>([
    ['`errorOutput` is missing', { errorOutput: undefined }],
    ['`errorOutput` fails', { errorOutput: { [Symbol.asyncIterator]: throwing } }],
    [
      '`pid` throws',
      {
        get pid() {
          return throwing();
        },
      },
    ],
    ['`pid` is not a number', { pid: 'x' }],
    ['signal() throws', { signal: throwing }],
    ['unref() throws', { unref: throwing }],
    ['unref() rejects', { unref: rejected }],
    ['ending() throws', { ending: throwing }],
    ['destroy() throws', { destroy: throwing }],
    ['destroy() rejects', { destroy: rejected }],
    ['endInput() throws', { endInput: throwing }],
  ])('[E-4, A-1] %s: a session still works, and close() resolves', async (_, parts) => {
    const cli = broken(parts);
    const session = openSession({ transport: cli, limits: QUICK });
    const turn = session.send('hello');
    cli.reply(await cli.got('prompt hello'));
    expect(await turn.text()).toBe('done');
    expect(session.pid).toBeUndefined();
    await session.close();
  });

  it.each<[string, object]>([
    ['throws', { write: throwing }],
    ['rejects', { write: rejected }],
  ])('[E-4, A-1, S-13] write() %s: the start fails with a TransportError', async (_, parts) => {
    const session = openSession({ transport: broken(parts), limits: QUICK });
    await expect(session.ready).rejects.toMatchObject({ code: 'transport' });
    await session.close();
  });

  it.each(Object.keys(ENTRIES))('[A-1] start() never resolves: %s ends with a typed error', async (entry) => {
    const transport = (): FakeCli => broken({ start: () => new Promise(() => {}) });
    const error = await ENTRIES[entry]?.({ transport });
    expect(error).toMatchObject({ code: 'initialization-timeout' });
  });

  it.each<[string, (options: AgentOptions) => { close(): Promise<unknown>; begun: Promise<unknown> }]>([
    ['query', (options) => begunBy(query('hello', options), 'started')],
    ['session', (options) => begunBy(openSession(options), 'ready')],
  ])(
    '[A-1, S-4] a start that takes longer than close() waits is ended, and no event follows the last: %s',
    async (_, run) => {
      const [called, started] = [new Deferred<void>(), new Deferred<void>()];
      const start = (): Promise<void> => {
        called.resolve();
        return started.promise;
      };
      const cli = broken({ start });
      const events: RunEvent[] = [];
      const { close, begun } = run({ transport: cli, limits: QUICK, onEvent: (event) => void events.push(event) });
      await called.promise;
      await close();
      await expect(begun).rejects.toThrow('closed');
      expect(events.at(-1)?.type).toBe('stopped');
      const { length } = events;
      started.resolve();
      await cli.exited;
      await settle();
      expect(cli.signals).toHaveLength(1);
      expect(cli.log.filter((entry) => typeof entry === 'object')).toEqual([]);
      expect(events.slice(length)).toEqual([]);
    },
  );

  it('[A-1] is killed if start() fails after it started a process', async () => {
    const cli = broken({ start: rejected });
    await openSession({ transport: cli, limits: QUICK }).ready.catch(() => {});
    expect(cli.signals).toEqual(['kill']);
  });
});

describe('a process of `spawn` that violates its contract', () => {
  const child = (parts: object): EventEmitter =>
    Object.assign(new EventEmitter(), {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: null,
      kill: () => true,
      ...parts,
    });

  it.each([
    ['the pid 1', { pid: 1 }],
    ['a negative pid', { pid: -1 }],
    ['the pid 0', { pid: 0 }],
    ['the pid of the host', { pid: process.pid }],
    ['a text as pid', { pid: '77' }],
    ['a text as stdout', { stdout: 'hello' }],
    ['a list as stdin', { stdin: [] }],
  ])('[E-4, R-1] is refused because of %s, and killed with its own kill()', async (_, parts) => {
    const killed: unknown[] = [];
    const spawned = child({ kill: (signal: unknown) => killed.push(signal), ...parts });
    const stream = query('hello', common({ spawn: as(() => spawned) }));
    await expect(stream.started).rejects.toMatchObject({ code: 'spawn', reason: 'adapter' });
    await stream.close();
    expect(killed).toEqual(['SIGKILL']);
  });

  it('[R-1] is killed if it is a real process with an unusable stdout', async () => {
    const sleeper = spawn('sleep', ['60'], { stdio: 'ignore' });
    const exited = once(sleeper, 'exit');
    onTestFinished(() => void sleeper.kill());
    const spawned = child({
      pid: sleeper.pid,
      stdout: 'hello',
      kill: (signal: NodeJS.Signals) => sleeper.kill(signal),
    });
    const stream = query('hello', common({ spawn: as(() => spawned) }));
    await expect(stream.started).rejects.toMatchObject({ code: 'spawn', reason: 'adapter' });
    expect(await exited).toEqual([null, 'SIGKILL']);
  });
});

/** Marks a rejection as handled, because it belongs to the test and not to the SDK. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function* textOutput(): AsyncGenerator<unknown> {
  yield '{"type":"system"}\n';
}

function stuckOutput(): object {
  return { [Symbol.asyncIterator]: () => ({ next: rejected, return: throwing }) };
}
