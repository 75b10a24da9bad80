import { UUID } from '@coxswain/shared/uuid';

/** True for a session id as the CLI accepts it; nothing else ever becomes part of a path. */
export function isSessionId(text: string): boolean {
  return UUID.test(text);
}
