// #region agent
import { type AgentOptions, deny, type Hooks, permissions, type QueryStream, query } from 'coxswain';

/** Runs before every shell command. If it throws, the command does not run. */
const hooks: Hooks = {
  PreToolUse: {
    matcher: 'Bash',
    onFailure: 'block',
    run: (input) =>
      input.tool_name === 'Bash' && /\b(push|rm)\b|--output/.test(input.tool_input.command)
        ? deny('This agent only reads.')
        : undefined,
  },
};

/** Writes release notes. Tests pass options that choose the CLI. */
export function releaseNotes(since: string, options: AgentOptions = {}): QueryStream {
  return query(`Write the release notes for everything since ${since}.`, {
    ...options,
    ...permissions({
      allow: ['Read', 'Grep', 'Bash(git log *)', 'Bash(git diff *)'],
      ask: ({ toolName }) => deny(`${toolName} needs approval, and this run is unattended.`),
    }),
    hooks,
    maxTurns: 20,
    timeoutMs: 5 * 60_000,
  });
}
// #endregion
