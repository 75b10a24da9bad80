import { WarnedOnce } from '../warnings/warned-once.ts';
import type { Warning } from '../warnings/warning.ts';

/** Each process of a restarting session would repeat these warnings: they are emitted once per session. */
const GIVEN_ONCE: ReadonlySet<Warning['code']> = new Set([
  'capabilities-missing',
  'matcher-never-matches',
  'orphan-guard-unavailable',
  'permissions-shadowed',
  'unknown-cli-version',
  'unknown-message-type',
  'unknown-tool',
  'version-check-failed',
]);

/** Returns a function that is false for a warning that another process of the session has already emitted. */
export function newsFilter(): (warning: Warning) => boolean {
  const warned = new WarnedOnce();
  return ({ code, message }) => !GIVEN_ONCE.has(code) || warned.isNew(message);
}
