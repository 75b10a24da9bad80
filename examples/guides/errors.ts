import { isCoxswainError, query } from 'coxswain';

// #region process-error
try {
  await query('Tell me a secret.', { limits: { stderrTailBytes: 64 * 1024 } }).text();
} catch (error) {
  if (isCoxswainError(error, 'process')) {
    console.error(error.exitCode, error.signal, error.hint);
    console.error(error.stderrTail);
  } else if (isCoxswainError(error)) {
    console.error(JSON.stringify(error)); // name, code, message, all fields and the cause
  }
}
// #endregion
