import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliNotFoundError, SpawnError } from '../../src/errors/start.ts';
import { query } from '../../src/query/query.ts';
import { temporaryFolder } from '../fixtures/cli/files.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { INIT, ORDINARY, say } from '../support/say.ts';

const NOWHERE = { cli: '/nowhere/claude', versionCheck: 'off' } as const;

describe('the start', () => {
  it('[Q-1] returns before the process exists, and starts it without a pull', async () => {
    const run = say([{ message: INIT }, { stay: true }]);
    expect(run.events).toEqual([]);
    expect(run.stream.state).toBe('streaming');
    await waitUntil('the process runs', () => run.events.some(({ type }) => type === 'started'));
    expect(isAlive(run.pid)).toBe(true);
  });

  it('[Q-1] `started` settles when the process runs, before it has said anything', async () => {
    const run = say([{ stay: true }]);
    await expect(run.stream.started).resolves.toBeUndefined();
    expect(isAlive(run.pid)).toBe(true);
  });

  it('[Q-1] a run that is not read still ends', async () => {
    const run = say([...ORDINARY]);
    expect(await run.stream.closed).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
  });
});

describe('a start error', () => {
  it('[Q-1, C-3] comes with the first pull, once, and from `started` each time', async () => {
    const stream = query('hello', NOWHERE);
    const iterator = stream[Symbol.asyncIterator]();
    const error = await iterator.next().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(CliNotFoundError);
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
    await expect(stream.started).rejects.toBe(error);
    await expect(stream.started).rejects.toBe(error);
    expect(stream.state).toBe('closed');
  });

  it('[Q-1] comes from every helper', async () => {
    const isNotFound = expect.objectContaining({ code: 'cli-not-found' });
    await expect(query('hello', NOWHERE).result()).rejects.toEqual(isNotFound);
    await expect(query('hello', NOWHERE).text()).rejects.toEqual(isNotFound);
    await expect(query('hello', NOWHERE).output()).rejects.toEqual(isNotFound);
    expect(await query('hello', NOWHERE).collect()).toEqual({
      items: [],
      messages: [],
      warnings: [],
      errors: [],
      terminalError: isNotFound,
    });
  });

  it('[Q-1, E-4] is no unhandled rejection when the stream is not read', async () => {
    const stream = query('hello', NOWHERE);
    expect(await stream.closed).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
    expect(stream.state).toBe('closed');
  });

  it('[Q-1, C-11] a bad working directory is a SpawnError that says so', async () => {
    const cwd = join(temporaryFolder(), 'missing');
    const { stream, events } = say([...ORDINARY], { cwd });
    const error = await stream.started.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SpawnError);
    expect(error).toMatchObject({ code: 'spawn', reason: 'cwd', message: expect.stringContaining(cwd) });
    expect(events.map(({ type }) => type)).toEqual(['state-changed', 'failed']);
  });

  it('[O-4, Q-1] all problems of the options come the same way', async () => {
    const stream = query('', { cli: '/nowhere', maxTurns: -1, timeoutMS: 3 } as object);
    const error = await stream.started.catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 'options',
      problems: [{ path: 'prompt' }, { path: 'maxTurns' }, { path: 'timeoutMS' }],
    });
    await expect(stream.result()).rejects.toBe(error);
    expect(await stream.close()).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
  });

  it.each([
    ['null', null],
    ['a list', []],
    [
      'a getter that throws',
      Object.defineProperty({}, 'cli', {
        enumerable: true,
        get: () => {
          throw new Error('no');
        },
      }),
    ],
    [
      'a proxy that throws',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('no');
          },
        },
      ),
    ],
  ])('[O-4] query never throws: options that are %s', async (_, options) => {
    const stream = query('hello', options as object);
    await expect(stream.started).rejects.toMatchObject({ code: 'options' });
  });
});
