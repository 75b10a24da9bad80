/** The second argument of hooks and of `canUseTool`. */
export interface CallbackContext {
  readonly sessionId: string | undefined;
  readonly toolUseId: string | undefined;
  /** Aborted when the result no longer counts: after a timeout, when the CLI cancels the request, or when the session stops. */
  readonly signal: AbortSignal;
}
