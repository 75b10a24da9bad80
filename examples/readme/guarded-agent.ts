// #region agent
import { deny, type HookRun, type PreToolUseInput, type QueryOptions, query } from 'coxswain';

const noRemoving: HookRun<PreToolUseInput> = (input) =>
  input.tool_name === 'Bash' && /\brm\b/.test(input.tool_input.command) ? deny('Remove nothing.') : undefined;

/** The program under test. The options let a test say which CLI it runs on. */
export function tidy(options: QueryOptions = {}): Promise<string> {
  const hooks = { PreToolUse: { matcher: 'Bash', onFailure: 'block', run: noRemoving } } as const;
  return query('Tidy up this folder.', { allowedTools: ['Bash'], hooks, ...options }).text();
}
// #endregion
