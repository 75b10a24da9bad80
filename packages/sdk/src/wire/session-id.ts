/** A session id as the CLI accepts it. */
export const SESSION_ID: RegExp = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** True for a session id as the CLI accepts it; nothing else ever becomes part of a path. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}
