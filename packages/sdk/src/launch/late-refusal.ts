import { type CoxswainError, isCoxswainError } from '../errors/base.ts';
import { type Warning, type WarningCode, warning } from '../warnings/warning.ts';

/** The warning in place of the error of a version check that came too late: tools of the CLI have already run. */
export function lateRefusal(refusal: CoxswainError): Warning {
  const message = `${refusal.message} This was found out after the CLI had done its work; the run was not ended.`;
  return warning(CODES[refusal.code] ?? 'unsupported-cli-version', message, { error: refusal.code });
}

/** True for a refusal because the version is not known, which need not be too old. */
export function isOfUnknown(refusal: CoxswainError): boolean {
  return isCoxswainError(refusal, 'unknown-version') || isCoxswainError(refusal, 'version-detection');
}

const CODES: Readonly<Record<string, WarningCode | undefined>> = {
  'unknown-version': 'unknown-cli-version',
  'version-detection': 'version-check-failed',
};
