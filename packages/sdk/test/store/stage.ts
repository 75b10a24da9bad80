import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type FaultyStore, faultyStore, type InMemoryCli, inMemoryCli, type Script, script } from '@coxswain/testkit';
import { onTestFinished } from 'vitest';
import { type OpenSessionOptions, openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { type MemoryStore, memoryStore } from '../../src/store/memory-store.ts';
import type { StoreEntry } from '../../src/store/session-store.ts';
import type { Warning } from '../../src/warnings/warning.ts';

/** An in-memory scripted agent, a store with programmable faults, and the warnings. */
export interface StoreStage {
  readonly cli: InMemoryCli;
  readonly inner: MemoryStore;
  readonly store: FaultyStore;
  readonly warnings: Warning[];
  open(options?: OpenSessionOptions): Session;
  /** The entries of a conversation. */
  entries(sessionId: string | undefined, subpath?: string): Promise<readonly StoreEntry[]>;
}

/** Short timeouts, so that tests are fast. */
const LIMITS = { storeTimeoutMs: 60, storeAttempts: 2, storeRetryMs: 1, graceMs: 500 };

/** Answers every prompt with the prompt itself. */
export const echo: Script = script().otherwise((turn) => turn.say('Heard.'));

/** Creates a stage. Sessions are closed at the end of the test. */
export function storeStage(agent: Script = echo): StoreStage {
  const cli = inMemoryCli(agent);
  const inner = memoryStore();
  const store = faultyStore(inner);
  const warnings: Warning[] = [];
  return {
    cli,
    inner,
    store,
    warnings,
    open(options = {}) {
      const session = openSession({
        transport: cli.transport,
        sessionStore: store,
        onWarning: (warning) => void warnings.push(warning),
        ...options,
        limits: { ...LIMITS, ...options.limits },
      });
      onTestFinished(async () => void (await session.close()));
      return session;
    },
    entries: async (sessionId = '', subpath) => (await inner.load({ projectKey: 'default', sessionId, subpath })) ?? [],
  };
}

/** The files below a folder with their modes and texts. */
export function filesIn(folder: string): { readonly name: string; readonly mode: string; readonly text: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
    const path = join(folder, name);
    const stats = statSync(path);
    if (!stats.isFile()) return [];
    return [{ name, mode: (stats.mode & 0o777).toString(8), text: readFileSync(path, 'utf8') }];
  });
}
