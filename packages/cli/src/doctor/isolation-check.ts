import { isCoxswainError } from 'coxswain';
import { checkIsolation } from 'coxswain/cli';
import { type Finding, ok, skipped } from './finding.ts';

/** Whether the option `isolate` works here. Without the option nothing needs it, so its absence is no problem. */
export async function isolationFinding(check: typeof checkIsolation = checkIsolation): Promise<Finding> {
  try {
    const { program } = await check();
    return ok('Isolation', `isolate: 'bubblewrap' works (${program})`);
  } catch (error) {
    if (!isCoxswainError(error) || error.code !== 'isolation-unavailable') throw error;
    return skipped('Isolation', `isolate: 'bubblewrap' does not work here: ${error.reason}`);
  }
}
