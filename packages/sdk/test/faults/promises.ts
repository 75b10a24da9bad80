import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { isAlive, liveDescendants, runningPids, waitUntil } from '../support/processes.ts';
import { SECRETS } from './scenario.ts';

/** The environment variable that marks the processes of a run and their descendants. */
export const MARK = 'COXSWAIN_FAULT';

/** Records the state that a run must not change. */
export function watchHost(): { check(mark: string, folder: string): Promise<void> } {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  for (const event of STRAYS) process.on(event, note);
  const listeners = listenerCounts();
  const resources = activeResources();
  const earlier = new Set(runningPids());
  return {
    async check(mark, folder) {
      // Node reports a rejection after the microtasks of its iteration.
      await new Promise((resolve) => setImmediate(resolve));
      // A process that was just killed may still be exiting.
      await waitUntil('no process is running', () => markedProcesses(mark, earlier).length === 0);
      await waitUntil('the orphan guard has exited', () => liveDescendants(process.pid).length === 0);
      await waitUntil('no handle and no timer is left', () => excess(resources).length === 0).catch(() =>
        expect(excess(resources), 'handles and timers left').toEqual([]),
      );
      expect(listenerCounts(), 'listeners on the process').toEqual(listeners);
      for (const event of STRAYS) process.off(event, note);
      expect(stray, 'stray rejections, exceptions and process warnings').toEqual([]);
      expect(readdirSync(folder), 'files in the temporary folder').toEqual([]);
    },
  };
}

/** Fails if a secret is visible to a user, in a log, or to another user of the machine. */
export function expectNoSecret(shown: readonly unknown[]): void {
  const text = shown.map(inWords).join('\n');
  expect(FORMS.filter((form) => text.includes(form))).toEqual([]);
}

const STRAYS = ['unhandledRejection', 'uncaughtException', 'warning'] as const;

/** Secrets as plain text and in JSON, encoded once and twice. */
const FORMS = Object.values(SECRETS).flatMap((secret) => {
  const bare = secret.replace('Bearer ', '');
  const json = JSON.stringify(bare).slice(1, -1);
  return [bare, json, JSON.stringify(json).slice(1, -1)];
});

/** A text unchanged; any other value as in a log and as JSON. */
function inWords(value: unknown): string {
  if (typeof value === 'string') return value;
  const shown = inspect(value, { depth: 12, maxStringLength: null, maxArrayLength: null });
  return `${shown}\n${JSON.stringify(value) ?? ''}`;
}

function listenerCounts(): Record<string, number> {
  return Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));
}

function activeResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** The polling itself has a timer. */
function excess(before: ReadonlyMap<string, number>): string[] {
  return [...activeResources()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return /Timeout|Immediate|FSReq|CloseReq/.test(kind) || more <= 0 ? [] : [`${more} × ${kind}`];
  });
}

/** The running processes of a run. Skips earlier ones, because there are many. */
function markedProcesses(mark: string, earlier: ReadonlySet<number>): number[] {
  return runningPids().filter((pid) => {
    if (earlier.has(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${MARK}=${mark}`) && isAlive(pid);
    } catch {
      return false;
    }
  });
}
