/**
 * Whether an error of PostgreSQL or of its connection proves that the same work fails again: the statement, or the data, is at
 * fault. Everything else may be over in a moment: a lock, a timeout, a read-only window, a full disk, a restart, a lost grant.
 */
export function isPermanent(error: unknown): boolean {
  const code = codeOf(error);
  return code !== undefined && PERMANENT.test(code) && !REVERSIBLE.has(code);
}

/** Features, data, constraints, syntax and names, size. */
const PERMANENT = /^(?:0A|22|23|42|54)[0-9A-Z]{3}$/;

/** A missing grant and a missing table are repaired by another process: by an operator, or by a restore. */
const REVERSIBLE: ReadonlySet<string> = new Set(['42501', '42P01']);

/** The connection broke or was refused, or the server is starting or stopping. */
export function isConnectionFailure(error: unknown): boolean {
  const code = codeOf(error);
  if (code === undefined) return error instanceof Error && NO_ANSWER.test(error.message);
  return isSqlState(code) ? /^(?:08|28|3D|57P0|53)/.test(code) : true;
}

/** What `pg` reports without a code. */
const NO_ANSWER = /connect|read timeout|not queryable|SSL/i;

/** The connection is open, but carries nothing: no answer came, not even that it takes too long. */
export function isSilence(error: unknown): boolean {
  return error instanceof Error && error.message === 'Query read timeout';
}

/** No new connection can be made, so nothing that waits for one can succeed. */
export function isWithoutConnections(reason: string): boolean {
  return NO_CONNECTION.test(reason);
}

const NO_CONNECTION =
  /^(?:ECONNREFUSED|ENOENT|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|57P03|53300)$|trying to connect/;

/** The server refuses this user or what it may do, or has no such database: waiting at the start would only hide it. */
export function isRefusal(reason: string | undefined): boolean {
  return /^(?:(?:28|3D)[0-9A-Z]{3}|42501)$/.test(reason ?? '');
}

/** PostgreSQL's or the system's code, or what else was said. */
export function reasonOf(error: unknown): string | undefined {
  return codeOf(error) ?? (error instanceof Error ? error.message : undefined);
}

/** What the server said about a failure that has only a code otherwise. */
export function wordsOf(error: unknown): string | undefined {
  return error instanceof Error && isSqlState(codeOf(error) ?? '') ? error.message : undefined;
}

/** Five characters; system codes such as EPIPE begin with an E, and no class of PostgreSQL does. */
function isSqlState(code: string): boolean {
  return /^[0-9A-DF-Z][0-9A-Z]{4}$/.test(code);
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
