/** The format of a session id. */
export const SESSION_ID: RegExp = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True for a session id in the CLI's format. Use it before an id becomes part of a path. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
