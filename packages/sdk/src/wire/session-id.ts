import { UUID } from '@coxswain/shared/uuid';

/** True for a session id in the CLI's format. Use it before an id becomes part of a path. */
export function isSessionId(text: string): boolean {
  return UUID.test(text);
}
