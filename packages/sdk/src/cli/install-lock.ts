import { readFileSync, readlinkSync } from 'node:fs';
import { mkdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning } from '@coxswain/shared/running-process';
import { systemCodeOf } from '../errors/base.ts';
import { readRegular } from '../files/regular-file.ts';

export interface LockOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Called once, when another process holds the lock. */
  readonly onWait?: (() => void) | undefined;
}

/** How often the holder renews the lock. */
const HEARTBEAT_MS = 5_000;
/** A lock that was not renewed for this long is stale, even if its owner runs on another machine or in a container. */
const STALE_MS = 30_000;
const POLL_MS = 100;

/** Runs `work` while holding a lock folder, shared by every process that uses the same cache. */
export async function withLock<T>(folder: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(folder, options);
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(folder, now, now).catch(() => {});
  }, HEARTBEAT_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(folder, { recursive: true, force: true }).catch(() => {});
  }
}

async function acquire(folder: string, options: LockOptions): Promise<void> {
  const deadline = performance.now() + options.timeoutMs;
  for (let waited = false; ; waited = true) {
    options.signal?.throwIfAborted();
    if (await tryAcquire(folder)) return;
    if (await isStale(folder)) {
      await discard(folder);
      continue;
    }
    if (!waited) options.onWait?.();
    if (performance.now() > deadline) throw new Error(`another process has held ${folder} for too long`);
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
}

async function tryAcquire(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    if (systemCodeOf(error) === 'EEXIST') return false;
    throw error;
  }
  await writeFile(join(folder, 'owner.json'), JSON.stringify({ pid: process.pid, space: pidSpace() }));
  return true;
}

async function isStale(folder: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(folder);
    if (Date.now() - mtimeMs > STALE_MS) return true;
    const { pid, space } = JSON.parse(String(await readRegular(join(folder, 'owner.json'), folder, 16_384)));
    // The owner ran in this PID namespace and has exited.
    return space !== undefined && space === pidSpace() && !isRunning(pid);
  } catch {
    // Removed in the meantime, or its owner has not written owner.json yet.
    return false;
  }
}

/** Renames first: if two processes remove the same stale lock, only one succeeds. */
async function discard(folder: string): Promise<void> {
  const aside = `${folder}.stale-${process.pid}-${Math.random().toString(36).slice(2)}`;
  try {
    await rename(folder, aside);
    await rm(aside, { recursive: true, force: true });
  } catch {}
}

/**
 * Identifies the PID namespace of this process: for two processes with the same value, a pid means the same process.
 * `undefined` if it cannot be determined; then pids of other processes cannot be interpreted.
 */
export function pidSpace(): string | undefined {
  if (process.platform !== 'linux') return hostname();
  try {
    // Containers may share a host name, and the number of a namespace can be the same on several machines.
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return undefined;
  }
}
