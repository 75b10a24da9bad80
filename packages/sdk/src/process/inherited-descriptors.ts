import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** What a child gets as its descriptors. */
export type Stdio = 'pipe' | 'inherit' | 'ignore' | number;

/** The first bits of `flags` in `/proc/self/fdinfo`, which are octal. */
const CLOSED_ON_EXEC = 0o2000000;

/** A program has few descriptors above. */
const MOST = 65_536;

/**
 * Calls `start` with the descriptors of a child that inherits no other: one that this process has inherited, or that an addon has
 * opened, may be a folder outside of the isolation. In their place it gets an empty file. Linux only.
 * @throws if this process has such a descriptor with a very high number, or `/proc` cannot be read
 */
export function withoutInherited<T>(wanted: readonly Stdio[], start: (stdio: readonly Stdio[]) => T): T {
  const empty = openSync('/dev/null', 'r');
  try {
    const stdio: Stdio[] = [...wanted];
    for (const descriptor of inherited().filter((number) => number >= wanted.length)) {
      if (descriptor > MOST) throw new Error(`the descriptor ${descriptor} would be inherited`);
      while (stdio.length < descriptor) stdio.push('ignore');
      stdio[descriptor] = empty;
    }
    return start(stdio);
  } finally {
    closeSync(empty);
  }
}

function inherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((descriptor) => isInherited(descriptor))
    .toSorted((a, b) => a - b);
}

function isInherited(descriptor: number): boolean {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return (Number.parseInt(flags ?? '0', 8) & CLOSED_ON_EXEC) === 0;
  } catch {
    // It was that of the list of descriptors.
    return false;
  }
}
