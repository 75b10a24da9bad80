import { userInfo } from 'node:os';
import { UsageError } from '../exit-codes.ts';
import type { FleetFlags } from './open.ts';

/** The value of `--data`; undefined if it was not given. @throws UsageError */
export function dataOf(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('--data must be JSON.');
  }
}

/** The values of `--attribute name=value`; undefined if there are none. @throws UsageError */
export function attributesOf(given: readonly string[] | undefined): Record<string, string> | undefined {
  if (given === undefined) return undefined;
  const pairs = given.map((text) => {
    const at = text.indexOf('=');
    if (at < 1) throw new UsageError('--attribute must be <name>=<value>.');
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  return Object.fromEntries(pairs);
}

/** The author of submissions, cancellations and answers, unless `--by` is set. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** One line of a text from a person or a model. */
export function shortly(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach the terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, 120);
}

/** A time in words, rounded: `40 s`, `5 min`, `3 h`, `2 days`. */
export function roughly(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}

/** The flags that select this fleet, for another command. The URL of the database may contain a password and is not printed. */
export function placeFlags({ database, schema, dir }: FleetFlags): string {
  const flags = { database: database && '…', schema, dir };
  return Object.entries(flags)
    .map(([name, value]) => (value === undefined ? '' : ` --${name} ${quoted(value)}`))
    .join('');
}

function quoted(value: string): string {
  return /^[\w./:…-]+$/.test(value) ? value : `'${value.replaceAll("'", `'\\''`)}'`;
}
