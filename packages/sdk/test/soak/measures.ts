import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { descriptorsOf, liveDescendants } from '../support/processes.ts';

/** The resources of a process after a garbage collection. */
export interface Measures {
  /** Running descendants. */
  readonly processes: number;
  /** Handles, requests and timers, by kind (`process.getActiveResourcesInfo()`). */
  readonly resources: Readonly<Record<string, number>>;
  /** Listeners on `process`, by event. */
  readonly listeners: Readonly<Record<string, number>>;
  readonly descriptors: number;
  /** Files of the SDK below the temporary folder. */
  readonly tempFiles: number;
  readonly heapBytes: number;
}

/**
 * Measures the resources. Waits up to 5 s for pending exits: the guard, and the pipes of the last run. `before` is the expected state,
 * or the expected number of processes.
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

/** The increases since `before`, as text. The heap is judged separately. */
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

/** The used bytes after a garbage collection. */
export async function heapAfterGc(): Promise<number> {
  // Finalizers run between collections and release more.
  for (let round = 0; round < 4; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage().heapUsed;
}

function look(): Omit<Measures, 'heapBytes'> & { heapBytes: number } {
  return {
    processes: liveDescendants(process.pid).length,
    // A pending timer is not a leak; the timer of `measure` itself is among them.
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
