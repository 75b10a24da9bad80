import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { FleetInputError, NotInFleetError } from '../errors.ts';

/** The largest number that a column `integer` holds. */
export const MOST_INTEGER: number = 2 ** 31 - 1;

/** Names are part of notifications, which hold 8000 bytes, and of rows, which hold no NUL and no half of a character. */
export function problemOfName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty string.';
  return problemOfText(value);
}

/** The same for a text that may be empty. */
export function problemOfText(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string.';
  if (Buffer.byteLength(value) > 500) return 'must not be longer than 500 bytes.';
  return /[\0\p{Surrogate}]/u.test(value) ? 'must not contain NUL characters or unpaired surrogates.' : undefined;
}

/** Something that is looked up by its id. An id that cannot exist is one that does not. @throws NotInFleetError */
export function checkedId(kind: NotInFleetError['kind'], id: unknown): string {
  if (typeof id !== 'string' || problemOfName(id) !== undefined) throw new NotInFleetError(kind, String(id));
  return id;
}

/** A name, such as that of a tenant. @throws FleetInputError */
export function checkedName(field: string, value: unknown): string {
  const problem = problemOfName(value);
  if (problem !== undefined) throw new FleetInputError(field, problem);
  return String(value);
}

/** A text that rows are chosen by; null chooses all. @throws FleetInputError */
export function checkedFilter(field: string, value: unknown): string | null {
  return value === undefined ? null : checkedName(field, value);
}

/** What is given as an object with fields. @throws FleetInputError */
export function checkedObject<T extends object>(field: string, value: T): T {
  if (typeof value !== 'object' || value === null) throw new FleetInputError(field, 'must be an object.');
  return value;
}

/** Options without misspelt names. @throws FleetInputError */
export function checkedOptions<T extends object>(
  options: T,
  known: Readonly<Record<keyof T, true>>,
  field = 'options',
): T {
  const unknown = Object.keys(checkedObject(field, options)).find((name) => !Object.hasOwn(known, name));
  if (unknown === undefined) return options;
  const kind = field === 'filter' ? 'filter' : 'option';
  throw new FleetInputError(unknown, `is not a known ${kind}; use one of ${Object.keys(known).join(', ')}.`);
}

/** A whole number within bounds. @throws FleetInputError */
export function checkedWhole(
  field: string,
  value: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new FleetInputError(field, `must be a whole number ${range}.`);
}

/** How many rows to list. @throws FleetInputError */
export function checkedLimit(limit: number | undefined): number {
  return checkedWhole('limit', limit ?? 100, 1);
}

/** One of the words, or none. @throws FleetInputError */
export function checkedWord<W extends string>(field: string, given: W | undefined, words: readonly W[]): W | null {
  if (given === undefined) return null;
  if (!words.includes(given)) throw new FleetInputError(field, `must be one of ${words.join(', ')}.`);
  return given;
}

/** How long to wait, in milliseconds; may be Infinity. @throws FleetInputError */
export function checkedWait(field: string, ms: unknown): number {
  if (typeof ms === 'number' && ms >= 0) return ms;
  throw new FleetInputError(field, 'must be a number of milliseconds, from 0 on.');
}

/** The same for a timer: one that is longer than it can be would end at once. @throws FleetInputError */
export function checkedTimer(field: string, ms: unknown): number {
  return Math.min(checkedWait(field, ms), LONGEST_TIMER_MS);
}

/** PostgreSQL knows later years, but not by the text of a JavaScript date. */
export function isStorable(date: unknown): date is Date {
  return date instanceof Date && date.getTime() >= 0 && date.getTime() < LAST_DATE;
}

const LAST_DATE = Date.UTC(10_000, 0);

/** In milliseconds; a number above it is a point in time that was meant as a Date. */
const LONGEST_AGE = 20 * 365 * 24 * 3_600_000;

/** A date in the past, or an age in milliseconds. @throws FleetInputError */
export function pastDate(field: string, given: Date | number): Date {
  const date = typeof given === 'number' ? new Date(Date.now() - given) : given;
  if (!(date instanceof Date) || Number.isNaN(date.getTime()))
    throw new FleetInputError(field, 'must be a valid date, or an age in milliseconds.');
  if (typeof given === 'number' && given > LONGEST_AGE)
    throw new FleetInputError(field, 'is an age of more than 20 years. Pass a point in time as a Date.');
  if (date.getTime() > Date.now())
    throw new FleetInputError(
      field,
      'is in the future, so everything would be removed. Pass a date in the past, or an age.',
    );
  // PostgreSQL knows no earlier year; nothing is that old.
  return date.getTime() < 0 ? new Date(0) : date;
}

/** A whole number for a column of PostgreSQL, or none. @throws FleetInputError */
export function checkedCount(field: string, given: number | undefined): number | null {
  return given === undefined ? null : checkedWhole(field, given, 0, MOST_INTEGER);
}

/** An amount from 0 on, or none. @throws FleetInputError */
export function checkedAmount(field: string, given: number | undefined): number | null {
  if (given === undefined) return null;
  if (!Number.isFinite(given) || given < 0) throw new FleetInputError(field, 'must be a number from 0 on.');
  return given;
}

/** A value as JSON; undefined if it has none. */
export function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
