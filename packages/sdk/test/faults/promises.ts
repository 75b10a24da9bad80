import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect } from 'vitest';
import { isAlive, liveDescendants, runningPids, waitUntil } from '../support/processes.ts';
import { SECRETS } from './scenario.ts';

/** The environment variable that marks the processes of a run, and all they start. */
export const MARK = 'COXSWAIN_FAULT';

/** Notes what a run must leave as it was. */
export function watchHost(): { check(mark: string, folder: string): Promise<void> } {
  const stray: unknown[] = [];
  const note = (reason: unknown): void => void stray.push(reason);
  for (const event of STRAYS) process.on(event, note);
  const listeners = listenerCounts();
  const resources = activeResources();
  const earlier = new Set(runningPids());
  return {
    async check(mark, folder) {
      // Node reports a rejection once the microtasks of its turn are through.
      await new Promise((resolve) => setImmediate(resolve));
      // A process that was killed just now may still be exiting.
      await waitUntil('no process is left', () => markedProcesses(mark, earlier).length === 0);
      await waitUntil('the orphan guard is gone', () => liveDescendants(process.pid).length === 0);
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

/** Fails when a secret stands in anything a user, a log or another user of the machine can see. */
export function expectNoSecret(shown: readonly unknown[]): void {
  const text = shown.map(inWords).join('\n');
  expect(FORMS.filter((form) => text.includes(form))).toEqual([]);
}

const STRAYS = ['unhandledRejection', 'uncaughtException', 'warning'] as const;

/** Secrets as they stand in a text and in JSON, once and twice encoded. */
const FORMS = Object.values(SECRETS).flatMap((secret) => {
  const bare = secret.replace('Bearer ', '');
  const json = JSON.stringify(bare).slice(1, -1);
  return [bare, json, JSON.stringify(json).slice(1, -1)];
});

/** A text as it is; everything else as a log would show it, and as JSON. */
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

/** The poll that looks has a timer of its own. */
function excess(before: ReadonlyMap<string, number>): string[] {
  return [...activeResources()].flatMap(([kind, count]) => {
    const more = count - (before.get(kind) ?? 0);
    return /Timeout|Immediate|FSReq|CloseReq/.test(kind) || more <= 0 ? [] : [`${more} × ${kind}`];
  });
}

/** The living processes of a run. Those from before it are not read again: there are many. */
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
