// #region callbacks
import { allow, deny, query } from 'coxswain';

const COMMANDS = ['npm test', 'npm run lint'];

const stream = query('Run the tests, then remove the build folder.', {
  // A guard, called before every Bash call: only these commands run. If it throws, the call does not run.
  hooks: {
    PreToolUse: {
      matcher: 'Bash',
      onFailure: 'block',
      run: (input) =>
        input.tool_name === 'Bash' && COMMANDS.includes(input.tool_input.command)
          ? undefined
          : deny(`Only these commands: ${COMMANDS.join(', ')}.`),
    },
  },
  // Called for tool calls that no rule and no hook has decided.
  canUseTool: (request) => (request.toolName === 'Bash' ? allow() : deny('Only shell commands here.')),
});
console.log(await stream.text());
// #endregion
