import { isCoxswainError } from '../errors/any-error.ts';
import type { CoxswainError } from '../errors/base.ts';
import { type Warning, type WarningCode, warning } from '../warnings/warning.ts';

/** The warning that replaces the error of a version check that finished too late: tools of the CLI have already run. */
export function lateRefusal(refusal: CoxswainError): Warning {
  const message = `${refusal.message} The version check finished after the CLI had already run, so the run was not ended.`;
  return warning(CODES[refusal.code] ?? 'unsupported-cli-version', message, { error: refusal.code });
}

/** True if the CLI was refused because its version is unknown. It may be recent enough. */
export function isUnknownVersion(refusal: CoxswainError): boolean {
  return isCoxswainError(refusal, 'unknown-version') || isCoxswainError(refusal, 'version-detection');
}

const CODES: Readonly<Record<string, WarningCode | undefined>> = {
  'unknown-version': 'unknown-cli-version',
  'version-detection': 'version-check-failed',
};
