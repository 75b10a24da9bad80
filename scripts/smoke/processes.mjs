import { readFileSync } from 'node:fs';

/**
 * True while a process runs; a zombie does not count.
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}

/**
 * @param {string} what
 * @param {() => boolean} condition
 */
export async function waitUntil(what, condition, ms = 5_000) {
  const deadline = performance.now() + ms;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Timed out after ${ms} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
