/** The codes of all warnings. `docs/warnings.md` lists the cause of each and what to do about it. */
export type WarningCode =
  | 'api-retry'
  | 'background-tasks-abandoned'
  | 'bad-line-after-result'
  | 'callback-failed'
  | 'callbacks-queued'
  | 'capabilities-missing'
  | 'clean-exit-no-result'
  | 'conversation-lost'
  | 'decision-not-expressible'
  | 'empty-response'
  | 'fallback-equals-model'
  | 'guard-replaced'
  | 'hook-failed'
  | 'hook-input-changed'
  | 'hook-output-suspect'
  | 'incomplete-last-line'
  | 'line-too-long'
  | 'long-line'
  | 'malformed-control-frame'
  | 'matcher-never-matches'
  | 'mcp-server-unavailable'
  | 'newer-cli-version'
  | 'non-zero-exit-after-result'
  | 'option-ignored'
  | 'orphan-guard-unavailable'
  | 'output-after-end'
  | 'permission-denied'
  | 'permission-failed'
  | 'permissions-shadowed'
  | 'private-file-left'
  | 'process-tree-unseen'
  | 'question-not-answered'
  | 'sandbox-unavailable'
  | 'session-abandoned'
  | 'session-id-changed'
  | 'setting-not-restored'
  | 'store-failed'
  | 'stream-abandoned'
  | 'tool-failed'
  | 'tool-message-malformed'
  | 'tool-server-failed'
  | 'tool-server-timeout'
  | 'tool-server-unknown'
  | 'permission-repeated'
  | 'turn-replayed'
  | 'undecodable-line'
  | 'unexpected-message-after-result'
  | 'unknown-cli-version'
  | 'unknown-hook'
  | 'unknown-message-type'
  | 'unknown-tool'
  | 'unrequested-configuration'
  | 'unsupported-cli-version'
  | 'version-check-failed'
  | 'warnings-dropped';

/** A problem that did not stop the run, as plain data. */
export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export function warning(code: WarningCode, message: string, context: Readonly<Record<string, unknown>> = {}): Warning {
  return { code, message, context };
}
