// #region agent
import { type AgentOptions, deny, type Hooks, query } from 'coxswain';

const COMMANDS = ['ls', 'git status'];

/** A list of what may run. A pattern of what may not, such as `rm`, misses `find -delete` and many others. */
const hooks: Hooks = {
  PreToolUse: {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) =>
      input.tool_name === 'Bash' && COMMANDS.includes(input.tool_input.command)
        ? undefined
        : deny(`Only these commands: ${COMMANDS.join(', ')}.`),
  },
};

/** Tests pass options that choose the CLI. */
export function tidy(options: AgentOptions = {}): Promise<string> {
  return query('Tidy up this folder.', { ...options, allowedTools: ['Bash'], hooks }).text();
}
// #endregion
