import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { InMemorySessionStore, query, type SessionKey, type SessionStoreEntry } from '../src/sdk.ts';
import { collect, openInput, result, stage } from './support/fake-process.ts';

const ID = '11111111-1111-4111-8111-111111111111';
const PATH = `/c/projects/-boat/${ID}.jsonl`;

/** Records the number of entries of each call. */
class NotingStore extends InMemorySessionStore {
  readonly calls: number[] = [];
  fails = false;

  override async append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    this.calls.push(entries.length);
    if (this.fails) throw new Error('The store is full.');
    await super.append(key, entries);
  }
}

const mirrored = (uuid: string) => ({ type: 'transcript_mirror', filePath: PATH, entries: [{ type: 'user', uuid }] });

describe('the option sessionStore', () => {
  it.each([
    [{ persistSession: false }, /persistSession/],
    [{ enableFileCheckpointing: true }, /enableFileCheckpointing/],
    [{ continue: true }, /listSessions/],
  ])('[U-5] cannot be combined with %o', (options, text) => {
    const store = { append: async () => {}, load: async () => null };
    expect(() => query({ prompt: 'One.', options: { ...options, sessionStore: store } })).toThrow(text);
  });

  it('[U-5] makes the CLI mirror, and stores a turn in one call before its result is read', async () => {
    const sessionStore = new NotingStore();
    const { cli, query: running } = stage(openInput('One.').stream, { sessionStore });
    await cli.prompt();
    expect(cli.started?.args).toContain('--session-mirror');
    cli.say(mirrored('a'), mirrored('b'), result());
    expect((await running.next()).value).toMatchObject({ type: 'result' });
    expect(sessionStore.calls).toEqual([2]);
    running.close();
  });

  it.each(['at once', 'while it loads'])(
    '[U-5] a query that is closed %s ends at once, starts no CLI and leaves no restored files',
    async (when) => {
      const temporary = mkdtempSync(join(tmpdir(), 'drop-in-store-'));
      onTestFinished(() => rmSync(temporary, { recursive: true }));
      vi.stubEnv('TMPDIR', temporary);
      onTestFinished(() => void vi.unstubAllEnvs());
      let release: () => void = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      let loads = 0;
      const sessionStore = {
        append: async () => {},
        load: async () => {
          loads += 1;
          await released;
          return [{ type: 'user', uuid: 'u' }];
        },
      };
      const { cli, query: running } = stage(openInput('One.').stream, { sessionStore, resume: ID });
      if (when === 'while it loads') await vi.waitUntil(() => loads === 1);
      const began = performance.now();
      await running[Symbol.asyncDispose]();
      // A process that ignores the signals takes 7 s to be ended.
      expect(performance.now() - began).toBeLessThan(5_000);
      release();
      for (let n = 0; n < 30; n += 1) await setImmediate();
      expect(cli.started).toBeUndefined();
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it("[U-5] does not wait for the result with sessionStoreFlush 'eager'", async () => {
    const sessionStore = new NotingStore();
    const { cli, query: running } = stage(openInput('One.').stream, { sessionStore, sessionStoreFlush: 'eager' });
    await cli.prompt();
    cli.say(mirrored('a'), { type: 'system', subtype: 'status' });
    await running.next();
    expect(sessionStore.calls).toEqual([1]);
    running.close();
  });

  it('[U-5] stores entries that are mirrored after the last result before the loop ends', async () => {
    const sessionStore = new NotingStore();
    const { cli, query: running } = stage(openInput('One.').stream, { sessionStore });
    await cli.prompt();
    cli.say(result(), mirrored('a'));
    cli.leave(0);
    expect((await collect(running)).thrown).toBeUndefined();
    expect(sessionStore.calls).toEqual([1]);
  });

  it('[U-5] causes a warning about unstored entries of a closed query', async () => {
    vi.stubEnv('COXSWAIN_LIMITS', '{"storeRetryMs":1}');
    onTestFinished(() => void vi.unstubAllEnvs());
    const codes: unknown[] = [];
    const note = (warning: Error): void => void codes.push('code' in warning && warning.code);
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const sessionStore = new NotingStore();
    sessionStore.fails = true;
    const { cli, query: running } = stage(openInput('One.').stream, { sessionStore });
    await cli.prompt();
    cli.say(mirrored('a'), { type: 'system', subtype: 'status' });
    await running.next();
    await running[Symbol.asyncDispose]();
    await setImmediate();
    expect(codes).toEqual(['COXSWAIN_STORE_FAILED']);
    expect(sessionStore.calls.length).toBeGreaterThan(1);
  });

  it('[U-5] ends the query before the CLI starts if the conversation cannot be loaded', async () => {
    const sessionStore = new NotingStore();
    sessionStore.load = () => new Promise(() => {});
    vi.stubEnv('COXSWAIN_LIMITS', '{"storeAttempts":1}');
    onTestFinished(() => void vi.unstubAllEnvs());
    const options = { sessionStore, resume: ID, loadTimeoutMs: 20 };
    const { cli, query: running } = stage(openInput('One.').stream, options);
    expect((await collect(running)).thrown).toMatchObject({ code: 'store-failed' });
    expect(cli.started).toBeUndefined();
  });
});
