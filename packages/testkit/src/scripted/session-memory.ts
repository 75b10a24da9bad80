import { appendFileSync, readFileSync } from 'node:fs';
import type { SessionMemory } from './interpreter/effects.ts';

/** Remembers sessions in a file, one id a line, so that the next process finds them. */
export function sessionsOnDisk(file: string): SessionMemory {
  const known = (): string[] => {
    try {
      return readFileSync(file, 'utf8').split('\n').slice(0, -1);
    } catch {
      return [];
    }
  };
  return {
    has: (id) => known().includes(id),
    add(id) {
      try {
        appendFileSync(file, `${id}\n`);
      } catch {
        // The test is over and has removed the directory.
      }
    },
    newest: () => known().at(-1),
  };
}

/** Remembers sessions for as long as somebody holds on to this. */
export function sessionsInMemory(): SessionMemory {
  const known: string[] = [];
  return {
    has: (id) => known.includes(id),
    add: (id) => void known.push(id),
    newest: () => known.at(-1),
  };
}
