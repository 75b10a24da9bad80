import { deny, permissions, query } from 'coxswain';

/** The only commands that run, word for word. A list of what must not run, such as `rm`, misses `find -delete` and many others. */
const COMMANDS = ['npm test', 'git status', 'git diff'];

/** The only other tools. They only read: a tool that writes could change what `npm test` runs. */
const TOOLS = ['Read', 'Grep', 'Glob'];

/**
 * Runs before every tool call, including those that a rule allows. If it throws, the call does not run.
 * @type {import('coxswain').Hooks}
 */
const guard = {
  PreToolUse: {
    onFailure: 'block',
    run: (input) => {
      if (input.tool_name === 'Bash' ? COMMANDS.includes(input.tool_input.command) : TOOLS.includes(input.tool_name))
        return undefined;
      return deny(`Only these tools: ${TOOLS.join(', ')}. Only these commands: ${COMMANDS.join(', ')}.`);
    },
  },
};

/**
 * What the agent may do. Reading inside this folder needs no rule; everything that needs a person is refused.
 * @type {import('coxswain').AgentOptions}
 */
const agent = {
  settingSources: [], // no rules and hooks from this computer
  ...permissions({
    allow: COMMANDS.map((command) => `Bash(${command})`),
    ask: ({ toolName }) => deny(`${toolName} needs approval, and this run is unattended.`),
  }),
  hooks: guard,
  maxTurns: 20,
  timeoutMs: 5 * 60_000,
};
export default agent;

/**
 * Asks the agent. Tests pass options that choose the CLI.
 * @param {string} prompt
 * @param {import('coxswain').AgentOptions} options
 */
export function ask(prompt, options = {}) {
  return query(prompt, { ...options, ...agent });
}
