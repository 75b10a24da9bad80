import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { descriptorsOf, liveDescendants } from '../support/processes.ts';

/** What a process holds at one moment, after its garbage is collected. */
export interface Measures {
  /** Living descendants. */
  readonly processes: number;
  /** Handles, requests and timers, by kind (`process.getActiveResourcesInfo()`). */
  readonly resources: Readonly<Record<string, number>>;
  /** Listeners on `process`, by event. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly descriptors: number;
  /** Our files below the folder for temporary ones. */
  readonly tempFiles: number;
  readonly heapBytes: number;
}

/**
 * Takes the measures. Waits up to 5 s for what is about to go: the guard, and the pipes of the last run. `before` is what
 * there may be, or how many processes.
 */
export async function measure(before: Measures | number = 0): Promise<Measures> {
  const deadline = performance.now() + 5_000;
  for (;;) {
    const now = look();
    const settled = typeof before === 'number' ? now.processes <= before : growth(before, now).length === 0;
    if (settled || performance.now() > deadline) return { ...now, heapBytes: await heapAfterGc() };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** What there is more of than before, in words. The heap is judged by its course, not here. */
export function growth(before: Measures, after: Measures): string[] {
  return [
    ...more('processes', before.processes, after.processes),
    ...more('descriptors', before.descriptors, after.descriptors),
    ...more('temporary files', before.tempFiles, after.tempFiles),
    ...Object.entries(after.resources).flatMap(([kind, now]) => more(kind, before.resources[kind] ?? 0, now)),
    ...Object.entries(after.listeners).flatMap(([event, now]) =>
      more(`listeners for ${event}`, before.listeners[event] ?? 0, now),
    ),
  ];
}

/** The bytes still in use after the garbage is gone. */
export async function heapAfterGc(): Promise<number> {
  // Finalizers run between collections, and let go of more.
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

function look(): Omit<Measures, 'heapBytes'> & { heapBytes: number } {
  return {
    processes: liveDescendants(process.pid).length,
    // A timer is no leak before it is due: the one of `measure` itself is among them.
    resources: counted(process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout' && kind !== 'Immediate')),
    listeners: Object.fromEntries(process.eventNames().map((event) => [String(event), process.listenerCount(event)])),
    descriptors: descriptorsOf('self').size,
    tempFiles: readdirSync(tmpdir()).filter((name) => name.startsWith(`coxswain-${process.pid}-`)).length,
    heapBytes: 0,
  };
}

function counted(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

function more(what: string, before: number, after: number): string[] {
  return after > before ? [`${what}: ${before} before, ${after} after`] : [];
}

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');
