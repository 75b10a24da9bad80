import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** `ps` needs the most: three pipes, and one to hear whether it could be started. */
const SPARE = 8;

const spare: number[] = [];

/** Keeps descriptors free for the time when the host has used up all others. */
export function keepSpareDescriptors(): void {
  try {
    while (spare.length < SPARE) spare.push(openSync(devNull, 'r'));
  } catch {
    // There are no more; some may do.
  }
}

export function dropSpareDescriptors(): void {
  for (const descriptor of spare.splice(0)) closeSync(descriptor);
}

/** Does the synchronous `work`, once more with the spare descriptors when there are no others. @throws what `work` throws */
export function withSpareDescriptors<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (spare.length === 0 || !isExhausted(error)) throw error;
  }
  dropSpareDescriptors();
  try {
    return work();
  } finally {
    keepSpareDescriptors();
  }
}

function isExhausted(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE');
}
