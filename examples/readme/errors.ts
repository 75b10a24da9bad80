// #region errors
import { isCoxswainError, query } from 'coxswain';
import { ResultError } from 'coxswain/errors';

try {
  console.log(await query('Summarise the changes since the last release.', { timeoutMs: 60_000 }).text());
} catch (error) {
  if (!isCoxswainError(error)) throw error;
  if (error instanceof ResultError) {
    // The run came to its end, but not well: auth, rate-limit, max-turns, budget, interrupted, …
    const { outcome, resetsAt } = error; // resetsAt: of a rate limit, if the CLI has said when it ends
    console.error(resetsAt ? `${outcome}: wait until ${new Date(resetsAt).toISOString()}` : outcome);
  } else {
    switch (error.code) {
      case 'cli-not-found':
      case 'unsupported-cli-version':
        console.error('Install or update Claude Code:', error.message);
        break;
      case 'timeout':
        console.error('Too slow.');
        break;
      default: // `process`, for one, has exitCode, signal, stderrTail and hint
        console.error(error.toJSON());
    }
  }
}
// #endregion
