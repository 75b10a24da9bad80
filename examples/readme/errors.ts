// #region errors
import { isCoxswainError, query } from 'coxswain';

try {
  console.log(await query('Summarise the changes since the last release.', { timeoutMs: 60_000 }).text());
} catch (error) {
  if (isCoxswainError(error, 'result')) {
    // The run ended without success: auth, rate-limit, max-turns, budget, interrupted, …
    const { outcome, resetsAt } = error; // resetsAt: when a rate limit ends, if the CLI reported it
    console.error(resetsAt ? `${outcome}: wait until ${new Date(resetsAt).toISOString()}` : outcome);
  } else if (isCoxswainError(error, 'cli-not-found') || isCoxswainError(error, 'unsupported-cli-version')) {
    console.error('Install or update Claude Code:', error.message);
  } else if (isCoxswainError(error)) {
    console.error(error.toJSON()); // the code `process`, for example, has exitCode, signal, stderrTail and hint
  } else {
    throw error;
  }
}
// #endregion
