import { LONGEST_TIMER_MS } from '@coxswain/shared/longest-timer';
import { FleetInputError, NotInFleetError } from '../errors.ts';

/** The maximum of an `integer` column. */
export const MAX_INTEGER: number = 2 ** 31 - 1;

/** Maximum size of a prompt, of the data of a turn and of an answer, as JSON: workers read them into memory, and the API accepts 32 MB. */
export const MAX_JSON_BYTES: number = 32 * 1024 * 1024;

/** The problem with a name, if any. Names are part of notifications, which hold 8000 bytes, and of rows, which cannot hold NUL characters or unpaired surrogates. */
export function problemOfName(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return 'must be a non-empty string.';
  return problemOfText(value);
}

/** The problem with a text that may be empty, if any. */
export function problemOfText(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string.';
  if (Buffer.byteLength(value) > 500) return 'must not be longer than 500 bytes.';
  return /[\0\p{Surrogate}]/u.test(value) ? 'must not contain NUL characters or unpaired surrogates.' : undefined;
}

/** Checks an id for a lookup. A malformed id counts as not found. @throws NotInFleetError */
export function checkedId(kind: NotInFleetError['kind'], id: unknown): string {
  if (typeof id !== 'string' || problemOfName(id) !== undefined) throw new NotInFleetError(kind, String(id));
  return id;
}

/** Checks a name, such as that of a tenant. @throws FleetInputError */
export function checkedName(field: string, value: unknown): string {
  const problem = problemOfName(value);
  if (problem !== undefined) throw new FleetInputError(field, problem);
  return String(value);
}

/** Checks a list of names, which may be empty. @throws FleetInputError */
export function checkedNames(field: string, value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new FleetInputError(field, 'must be a list of names.');
  return value.map((name) => checkedName(field, name));
}

/** Checks a filter for rows; null selects all. @throws FleetInputError */
export function checkedFilter(field: string, value: unknown): string | null {
  return value === undefined ? null : checkedName(field, value);
}

/** Checks that a value is an object. @throws FleetInputError */
export function checkedObject<T extends object>(field: string, value: T): T {
  if (typeof value !== 'object' || value === null) throw new FleetInputError(field, 'must be an object.');
  return value;
}

/** Checks that options have only known names. @throws FleetInputError */
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

/** Checks a whole number. @throws FleetInputError */
export function checkedWhole(
  field: string,
  value: unknown,
  least: number,
  most: number = Number.MAX_SAFE_INTEGER,
): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  throw new FleetInputError(field, `must be a whole number ${range}.`);
}

/** Checks the number of rows to list. @throws FleetInputError */
export function checkedLimit(limit: number | undefined): number {
  return checkedWhole('limit', limit ?? 100, 1);
}

/** Checks an optional word of a list. @throws FleetInputError */
export function checkedWord<W extends string>(field: string, given: W | undefined, words: readonly W[]): W | null {
  if (given === undefined) return null;
  if (!words.includes(given)) throw new FleetInputError(field, `must be one of ${words.join(', ')}.`);
  return given;
}

/** Checks a time in milliseconds; may be Infinity. @throws FleetInputError */
export function checkedWait(field: string, ms: unknown): number {
  if (typeof ms === 'number' && ms >= 0) return ms;
  throw new FleetInputError(field, 'must be a number of milliseconds, 0 or more.');
}

/** Checks a time for a timer, and limits it: a longer timer would fire at once. @throws FleetInputError */
export function checkedTimer(field: string, ms: unknown): number {
  return Math.min(checkedWait(field, ms), LONGEST_TIMER_MS);
}

/** True for a date that can be stored. PostgreSQL does not parse JavaScript's format of later years. */
export function isStorable(date: unknown): date is Date {
  return date instanceof Date && date.getTime() >= 0 && date.getTime() < LAST_DATE;
}

const LAST_DATE = Date.UTC(10_000, 0);

/** In milliseconds. A larger number is probably a point in time that should be a Date. */
const LONGEST_AGE = 20 * 365 * 24 * 3_600_000;

/** Checks a date in the past, or an age in milliseconds; returns the date. @throws FleetInputError */
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
  // PostgreSQL does not parse the oldest dates of JavaScript, and nothing is older than this.
  return date.getTime() < 0 ? new Date(0) : date;
}

/** Checks an optional whole number for an `integer` column. @throws FleetInputError */
export function checkedCount(field: string, given: number | undefined): number | null {
  return given === undefined ? null : checkedWhole(field, given, 0, MAX_INTEGER);
}

/** Checks an optional amount of 0 or more. @throws FleetInputError */
export function checkedAmount(field: string, given: number | undefined): number | null {
  if (given === undefined) return null;
  if (!Number.isFinite(given) || given < 0) throw new FleetInputError(field, 'must be a number of 0 or more.');
  return given;
}

/** A value as JSON; undefined if it cannot be written as JSON. */
export function asJson(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
