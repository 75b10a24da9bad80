import { appendFileSync, readFileSync } from 'node:fs';
import type { Checkpoints, Costs, SessionMemory } from './interpreter/effects.ts';

/** A state of a session; the last entry counts. */
interface Memory {
  readonly id: string;
  readonly checkpoints?: Checkpoints;
  readonly costs?: Costs;
}

/** Stores sessions in a file line by line, for the next process. */
export function sessionsOnDisk(file: string): SessionMemory {
  const known = (): Memory[] => {
    try {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      return lines.map((line) => JSON.parse(line));
    } catch {
      return [];
    }
  };
  return sessionMemory(known, (memory) => {
    try {
      appendFileSync(file, `${JSON.stringify(memory)}\n`);
    } catch {
      // The test has ended and removed the directory.
    }
  });
}

/** Stores sessions in memory. */
export function sessionsInMemory(): SessionMemory {
  const known: Memory[] = [];
  return sessionMemory(
    () => known,
    (memory) => known.push(memory),
  );
}

function sessionMemory(known: () => readonly Memory[], remember: (memory: Memory) => void): SessionMemory {
  const last = <K extends 'checkpoints' | 'costs'>(id: string, what: K): Memory[K] | undefined =>
    known().findLast((memory) => memory.id === id && memory[what] !== undefined)?.[what];
  return {
    has: (id) => known().some((memory) => memory.id === id),
    remember: (id, checkpoints) => remember({ id, checkpoints }),
    newest: () => known().findLast(({ checkpoints }) => checkpoints !== undefined)?.id,
    checkpoints: (id) => last(id, 'checkpoints') ?? {},
    rememberCosts: (id, costs) => remember({ id, costs }),
    costs: (id) => last(id, 'costs'),
    transcript: () => [],
  };
}
