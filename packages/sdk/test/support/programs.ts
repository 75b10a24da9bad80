import { fileURLToPath } from 'node:url';

/** The path of a program in `fixtures/programs`. */
export function programPath(name: string): string {
  return fileURLToPath(new URL(`../fixtures/programs/${name}`, import.meta.url));
}

/** The command line that runs a program of `fixtures/programs`. */
export function program(name: string, ...args: string[]): string[] {
  return [name.endsWith('.mjs') ? process.execPath : '/bin/sh', programPath(name), ...args];
}
