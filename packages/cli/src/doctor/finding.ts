/** What a check found, and what to do about it. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** The next step, where there is one to take. */
  readonly next?: string;
  /** More to read, line by line. */
  readonly details?: readonly string[];
  /** The places that were looked at in vain, each with the reason: one line, unless all of them are wanted. */
  readonly places?: readonly string[];
}

/** It is as it should be. */
export function ok(check: string, message: string, details: readonly string[] = []): Finding {
  return { check, status: 'ok', message, ...(details.length > 0 ? { details } : {}) };
}

/** It works, but not well. */
export function warning(check: string, message: string, next: string): Finding {
  return { check, status: 'warning', message, next };
}

/** Nothing works until this is fixed. */
export function failed(check: string, message: string, next: string, details: readonly string[] = []): Finding {
  return { check, status: 'failed', message, next, ...(details.length > 0 ? { details } : {}) };
}

/** It could not be looked at. */
export function skipped(check: string, message: string): Finding {
  return { check, status: 'skipped', message };
}
