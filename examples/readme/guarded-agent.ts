// #region agent
import { type AgentOptions, deny, type Hooks, query } from 'coxswain';

const hooks: Hooks = {
  PreToolUse: {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) =>
      input.tool_name === 'Bash' && /\brm\b/.test(input.tool_input.command) ? deny('Remove nothing.') : undefined,
  },
};

/** Tests pass options that choose the CLI. */
export function tidy(options: AgentOptions = {}): Promise<string> {
  return query('Tidy up this folder.', { ...options, allowedTools: ['Bash'], hooks }).text();
}
// #endregion
