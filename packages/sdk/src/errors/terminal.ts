import { isBranded } from './base.ts';

const NON_TERMINAL: ReadonlySet<string> = new Set(['utf8-decode', 'json-decode', 'unexpected-message']);

/** False for an error that spoils one line only and lets the run go on; true for all others. */
export function isTerminal(error: unknown): boolean {
  return !(isBranded(error) && NON_TERMINAL.has(error.code));
}
