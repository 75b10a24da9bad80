import { DatabaseUnavailableError, FleetClosedError } from '../errors.ts';

/**
 * True if an error of PostgreSQL or of its connection proves that the same work would fail again, because of the statement or the
 * data. Everything else may be temporary: a lock, a timeout, a read-only window, a full disk, a restart, a missing grant.
 */
export function isPermanent(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && PERMANENT.test(code) && !REVERSIBLE.has(code);
}

/** Classes of PostgreSQL's codes: features, data, constraints, syntax and names, size. */
const PERMANENT = /^(?:0A|22|23|42|54)[0-9A-Z]{3}$/;

/** Others can repair a missing grant or a missing table: an operator, or a restore. */
const REVERSIBLE: ReadonlySet<string> = new Set(['42501', '42P01']);

/**
 * PostgreSQL's code, if work failed because of the rows that it reads or changes, so that the same work with other rows may succeed:
 * refused data, a trigger, a lock, a timeout, a damaged page.
 */
export function codeAboutRows(error: unknown): string | undefined {
  const code = error instanceof DatabaseUnavailableError ? error.reason : codeOf(error);
  return code !== undefined && ABOUT_ROWS.test(code) ? code : undefined;
}

/** True if work failed because of the rows that it reads or changes, so that it may succeed for others. */
export function isAboutRows(error: unknown): boolean {
  return reasonAboutRows(error) !== undefined || isPermanent(error);
}

/** The same as `codeAboutRows()`, or the name of an error that is not the database's: a value of a row caused it. */
export function reasonAboutRows(error: unknown): string | undefined {
  const isOfDatabase =
    error instanceof DatabaseUnavailableError || error instanceof FleetClosedError || isSqlState(codeOf(error) ?? '');
  return isOfDatabase ? codeAboutRows(error) : error instanceof Error ? error.name : 'unknown';
}

const ABOUT_ROWS = /^(?:(?:22|23|54|58|P0|XX)[0-9A-Z]{3}|55P03|57014)$/;

/** True if the connection broke or was refused, or the server is starting or stopping. */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && NO_ANSWER.test(error.message);
  return isSqlState(code) ? /^(?:08|28|3D|57P0|53)/.test(code) : true;
}

/** Messages of `pg` without a code. */
const NO_ANSWER = /connect|read timeout|not queryable|SSL/i;

/** True if the connection is open but silent: not even the server's own timeout was reported. */
export function isSilentConnection(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** True if no new connection can be opened, so that waiting for one is useless. */
export function isWithoutConnections(reason: string): boolean {
  return NO_CONNECTION.test(reason);
}

const NO_CONNECTION =
  /^(?:ECONNREFUSED|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|57P03|53300)$|trying to connect/;

/** True if the server refuses this user or its privileges, or lacks the database: retrying at the start would only hide it. */
export function isRefusal(reason: string | undefined): boolean {
  return /^(?:(?:28|3D)[0-9A-Z]{3}|42501)$/.test(reason ?? '');
}

/** PostgreSQL's or the system's code, or else the message. */
export function reasonOf(error: unknown): string | undefined {
  return codeOf(error) ?? (error instanceof Error ? error.message : undefined);
}

/** The server's message, for an error with a code of PostgreSQL. */
export function messageOf(error: unknown): string | undefined {
  return error instanceof Error && isSqlState(codeOf(error) ?? '') ? error.message : undefined;
}

/** Five characters; unlike PostgreSQL's codes, system codes such as EPIPE begin with an E. */
function isSqlState(code: string): boolean {
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
