/** Every warning there is. The table in `warnings/table.ts` says what causes each and what to do about it. */
export type WarningCode =
  | 'background-tasks-abandoned'
  | 'bad-line-after-result'
  | 'clean-exit-no-result'
  | 'empty-response'
  | 'fallback-equals-model'
  | 'incomplete-last-line'
  | 'non-zero-exit-after-result'
  | 'option-ignored'
  | 'orphan-guard-unavailable'
  | 'output-after-end'
  | 'private-file-left'
  | 'stream-abandoned'
  | 'undecodable-line'
  | 'unexpected-message-after-result'
  | 'unknown-cli-version'
  | 'unknown-message-type'
  | 'version-check-failed';

/** Something worth knowing that did not stop the run. Plain data: it survives JSON. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** Makes a warning. */
export function warning(
  code: WarningCode,
  message: string,
  context: Readonly<Record<string, unknown>> = {},
): Warning {
  return { code, message, context };
}
