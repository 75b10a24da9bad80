import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { inMemoryCli, script } from '@coxswain/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import type { Transport } from '../../src/process/transport.ts';
import { query } from '../../src/query/query.ts';
import { type OpenSessionOptions, openSession } from '../../src/restart/open-session.ts';
import { memoryStore } from '../../src/store/memory-store.ts';
import type { BlobStore, SessionStore } from '../../src/store/session-store.ts';
import { StoredConversation } from '../../src/store/stored-conversation.ts';
import { Deferred } from '../../src/timing/timers.ts';
import { exportSession, getSessionMessages, listSessions } from '../../src/transcripts/index.ts';
import { echo } from './stage.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const ENTRIES = [{ type: 'user', uuid: 'u1', sessionId: ID, message: { role: 'user', content: 'private words' } }];

const root = mkdtempSync(join(tmpdir(), 'cox-loading-'));
const home = mkdtempSync(join(root, 'home-'));
writeFileSync(join(home, '.credentials.json'), '{"claudeAiOauth":{"accessToken":"made-up"}}');
let temporary = '';
beforeEach(() => {
  temporary = mkdtempSync(join(root, 'tmp-'));
  vi.stubEnv('TMPDIR', temporary);
});
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(root, { recursive: true, force: true }));

const PLACE = { env: { HOME: home, CLAUDE_CONFIG_DIR: home }, cwd: root };

function options(sessionStore: SessionStore, agent = echo): OpenSessionOptions {
  return {
    transport: inMemoryCli(agent).transport,
    cwd: root,
    configDir: home,
    inheritEnv: false,
    env: { HOME: home },
    sessionStore,
    resume: ID,
    limits: { storeRetryMs: 1, storeAttempts: 2, graceMs: 500 },
  };
}

/** A store that blocks in one of its methods until the test releases it. */
function heldStore(where: 'load' | 'listSubkeys' | 'blobs.list' | 'blobs.get') {
  const reached = new Deferred<void>();
  const released = new Deferred<void>();
  let calls = 0;
  const at = async <T>(here: typeof where, value: T): Promise<T> => {
    if (here !== where) return value;
    calls += 1;
    reached.resolve();
    await released.promise;
    return value;
  };
  const blobs: BlobStore = {
    put: async () => {},
    list: () => at('blobs.list', ['tool-results/a.txt', 'tool-results/b.txt']),
    get: () => at('blobs.get', new TextEncoder().encode('a private result')),
  };
  const store: SessionStore = {
    append: async () => {},
    load: ({ subpath }) => at('load', subpath === undefined ? ENTRIES : [{ type: 'user' }]),
    listSubkeys: () => at('listSubkeys', ['subagents/agent-a']),
    blobs,
  };
  return { store, reached: reached.promise, release: () => released.resolve(), calls: () => calls };
}

/** Gives running operations time to continue. */
async function aWhile(): Promise<void> {
  for (let n = 0; n < 30; n += 1) await turnOfLoop();
}

const remains = (): string[] => readdirSync(temporary);

describe('ending a run while its store loads', () => {
  const held = ['load', 'listSubkeys', 'blobs.list', 'blobs.get'] as const;

  it.each(held)('[G-5, R-4] of a session, at %s, leaves no directory, immediately or later', async (where) => {
    const { store, reached, release, calls } = heldStore(where);
    const session = openSession(options(store));
    await reached;
    await session.close();
    expect(remains()).toEqual([]);
    await expect(session.ready).rejects.toMatchObject({ code: 'session-stopped' });
    release();
    await aWhile();
    expect(remains()).toEqual([]);
    expect(calls()).toBe(1);
  });

  it.each([{}, { restart: true }, { resume: undefined, storeOnly: true }])(
    '[G-5, R-4] of a session, immediately after the start, leaves no directory (%j)',
    async (more) => {
      for (let moments = 0; moments < 60; moments += 3) {
        const { store, release } = heldStore('load');
        const session = openSession({ ...options(store), ...more });
        release();
        for (let n = 0; n < moments; n += 1) await Promise.resolve();
        await session.close();
        expect(remains()).toEqual([]);
        await aWhile();
        expect(remains()).toEqual([]);
      }
    },
  );

  it('[G-5, R-4] of the first session of the host, while the store code is imported, leaves no directory', async () => {
    vi.resetModules();
    const fresh = await import('../../src/restart/open-session.ts');
    const { store, release, calls } = heldStore('load');
    release();
    const began = new Deferred<void>();
    const given = options(store);
    const transport = (): Transport => {
      began.resolve();
      return inMemoryCli(echo).transport();
    };
    const session = fresh.openSession({ ...given, transport });
    await began.promise;
    await session.close();
    await vi.dynamicImportSettled();
    await aWhile();
    expect(remains()).toEqual([]);
    expect(calls()).toBe(0);
  });

  it('[G-5, R-4] of a session, at any point while the directory is written, leaves no directory', async () => {
    for (let turns = 0; turns < 12; turns += 1) {
      const { store, reached, release } = heldStore('load');
      const session = openSession(options(store));
      await reached;
      release();
      for (let n = 0; n < turns; n += 1) await turnOfLoop();
      await session.close();
      expect(remains()).toEqual([]);
      await aWhile();
      expect(remains()).toEqual([]);
    }
  });

  it('[G-5, R-4] of a session with storeOnly leaves no directory', async () => {
    for (let turns = 0; turns < 6; turns += 1) {
      const session = openSession({ ...options(memoryStore()), resume: undefined, storeOnly: true });
      for (let n = 0; n < turns; n += 1) await turnOfLoop();
      await session.close();
      expect(remains()).toEqual([]);
      await aWhile();
      expect(remains()).toEqual([]);
    }
  });

  it('[G-5, R-4] of a session or query by an abort leaves no directory and reports the abort', async () => {
    for (const begin of ['session', 'query'] as const) {
      const { store, reached, release } = heldStore('load');
      const aborting = new AbortController();
      const given = { ...options(store), signal: aborting.signal };
      const stream = begin === 'query' ? query('x', given) : undefined;
      const session = stream ? undefined : openSession(given);
      await reached;
      aborting.abort();
      await expect(stream?.text() ?? session?.ready).rejects.toMatchObject({ code: 'abort' });
      await (stream ?? session)?.close();
      expect(remains()).toEqual([]);
      release();
      await aWhile();
      expect(remains()).toEqual([]);
    }
  });

  it('[G-5, A-2, R-4] of a restarting session whose second CLI is loading leaves no directory', async () => {
    const { store, reached, release } = heldStore('load');
    const dying = script()
      .onPrompt('die', (turn) => turn.crash())
      .otherwise((turn) => turn.say('Heard.'));
    const session = openSession({ ...options(store, dying), resume: undefined, restart: { delayMs: 0 } });
    await session.send('one').result();
    await session
      .send('die')
      .result()
      .catch(() => {});
    await reached;
    await session.close();
    expect(remains()).toEqual([]);
    release();
    await aWhile();
    expect(remains()).toEqual([]);
  });

  it('[G-5, R-4] of a pool leaves no directory', async () => {
    const { store, reached, release } = heldStore('load');
    const { resume: _, ...defaults } = options(store);
    const pool = createPool({ size: 1, defaults });
    for (const key of ['a', 'b']) await pool.submit({ key, prompt: 'one' }).result();
    const again = pool.submit({ key: 'a', prompt: 'two' }).result();
    again.catch(() => {});
    await reached;
    await pool.close();
    expect(remains()).toEqual([]);
    release();
    await aWhile();
    expect(remains()).toEqual([]);
  });

  it('[G-5] of a raw session cancels the restore, and nothing is restored later', async () => {
    const { store, reached, release } = heldStore('load');
    const limits = { storeTimeoutMs: 50, storeLoadMs: 5_000, storeAttempts: 2, storeRetryMs: 1 };
    const conversation = new StoredConversation({ store, projectKey: 'p', limits, warn: () => {} });
    const restored = conversation.restore(ID, PLACE);
    restored.catch(() => {});
    await reached;
    expect(await conversation.end()).toBeUndefined();
    await expect(restored).rejects.toMatchObject({ code: 'session-stopped' });
    release();
    await expect(conversation.restore(ID, PLACE)).rejects.toMatchObject({ code: 'session-stopped' });
    await expect(conversation.begin(PLACE)).rejects.toMatchObject({ code: 'session-stopped' });
    expect(remains()).toEqual([]);
  });
});

describe('an invalid return value of a store', () => {
  const nested: unknown[] = [];
  nested.push(nested);
  const blobs = (odd: object): object => ({
    blobs: { put: async () => {}, list: async () => ['todos/x'], get: async () => null, ...odd },
  });
  const LOAD: [string, object, string][] = [
    ['a string for entries', { load: async () => 'odd' }, 'its load() returned a string instead of a list of entries'],
    ['an invalid entry', { load: async () => [{ type: 'user' }, null] }, 'returned a list with null in it'],
    ['a BigInt', { load: async () => [{ type: 'user', n: 1n }] }, 'cannot be serialised as JSON: Do not know how'],
    [
      'a circular entry',
      { load: async () => [{ type: 'user', nested }] },
      'cannot be serialised as JSON: Converting circular',
    ],
    ['null for subpaths', { listSubkeys: async () => null }, 'its listSubkeys() returned null instead of a list'],
    ['an object for subpaths', { listSubkeys: async () => ({}) }, 'its listSubkeys() returned an object'],
    ['a number for a subpath', { listSubkeys: async () => [5] }, 'returned a list with the number 5 in it'],
    ['conflicting subpaths', { listSubkeys: async () => ['a', 'a.jsonl/b'] }, 'is not a valid file name: E'],
    ['a subpath of 5,000 letters', { listSubkeys: async () => ['a'.repeat(5_000)] }, 'a valid file name: ENAMETOOLONG'],
    ['an object for names', blobs({ list: async () => ({}) }), 'its blobs.list() returned an object instead of'],
    ['an object for a file', blobs({ get: async () => ({}) }), 'its blobs.get() returned an object instead of'],
  ];

  it.each(LOAD)(
    '[G-4, G-5, E-1] fails the start with store-failed and names the expected type: %s',
    async (_, odd, text) => {
      // An untyped adapter.
      const store = { append: async () => {}, load: async () => ENTRIES, ...odd } as SessionStore;
      const session = openSession(options(store));
      const failure = await session.ready.catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'store-failed', operation: 'load', sessionId: ID });
      expect(String(failure)).toContain(text);
      await session.close();
      expect(remains()).toEqual([]);
    },
  );

  it('[G-5] does not include undefined for a missing file, which is skipped', async () => {
    const get = async (): Promise<null> => undefined as unknown as null;
    const store = { append: async () => {}, load: async () => ENTRIES, ...blobs({ get }) } as SessionStore;
    const session = openSession(options(store));
    await session.ready;
    await session.close();
  });

  it('[G-6, E-1] is reported in the same way by reading, listing and exporting', async () => {
    const odd = [{ type: 'user', uuid: 'u1', n: 1n }];
    const store: SessionStore = {
      append: async () => {},
      load: async () => odd,
      // An untyped adapter.
      listSessions: async () => [{ sessionId: ID }] as never,
    };
    const failed = { code: 'store-failed' };
    await expect(getSessionMessages(ID, { store })).rejects.toMatchObject(failed);
    await expect(exportSession(ID, { store, cwd: root, configDir: home })).rejects.toMatchObject(failed);
    await expect(listSessions({ store })).rejects.toMatchObject({ ...failed, operation: 'list' });
  });
});

describe('a missing temporary folder', () => {
  it.each([{}, { resume: undefined, storeOnly: true }])('[G-5, E-1] fails the start with spawn (%j)', async (more) => {
    vi.stubEnv('TMPDIR', join(root, 'nowhere'));
    const store: SessionStore = { append: async () => {}, load: async () => ENTRIES };
    const session = openSession({ ...options(store), ...more });
    const failure = await session.ready.catch((error: unknown) => error);
    expect(isCoxswainError(failure, 'spawn') && failure.reason).toBe('private-file');
    expect(String(failure)).toMatch(/with the conversation could not be written below .*nowhere.*TMPDIR/);
  });

  it('[G-5, E-1] fails the start with spawn if it is a file', async () => {
    const file = join(temporary, 'nowhere');
    writeFileSync(file, '');
    vi.stubEnv('TMPDIR', file);
    const store: SessionStore = { append: async () => {}, load: async () => ENTRIES };
    const failure = await openSession(options(store)).ready.catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'spawn', reason: 'private-file' });
  });

  it('[G-6, E-1] fails reading a stored session with spawn', async () => {
    vi.stubEnv('TMPDIR', join(root, 'nowhere'));
    const store: SessionStore = { append: async () => {}, load: async () => ENTRIES };
    await expect(getSessionMessages(ID, { store })).rejects.toMatchObject({ code: 'spawn', reason: 'private-file' });
  });
});
