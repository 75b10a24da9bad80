/** The result of a check, and how to fix a problem. */
export interface Finding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'failed' | 'skipped';
  readonly message: string;
  /** The next step, if any. */
  readonly next?: string;
  /** Further details, line by line. */
  readonly details?: readonly string[];
  /** The searched places without a CLI, each with the reason. Shown in one line, or all of them with --verbose. */
  readonly places?: readonly string[];
}

/** The check passed. */
export function ok(check: string, message: string, details: readonly string[] = []): Finding {
  return { check, status: 'ok', message, ...(details.length > 0 ? { details } : {}) };
}

/** It works, but could be better. */
export function warning(check: string, message: string, next: string): Finding {
  return { check, status: 'warning', message, next };
}

/** Nothing works until this is fixed. */
export function failed(check: string, message: string, next: string, details: readonly string[] = []): Finding {
  return { check, status: 'failed', message, next, ...(details.length > 0 ? { details } : {}) };
}

/** It could not be checked. */
export function skipped(check: string, message: string): Finding {
  return { check, status: 'skipped', message };
}
