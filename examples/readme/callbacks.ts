// #region callbacks
import { allow, deny, query } from 'coxswain';

const stream = query('Run the tests, then remove the build folder.', {
  // A guard, called before every Bash call. If it throws, the call does not run.
  hooks: {
    PreToolUse: {
      matcher: 'Bash',
      onFailure: 'block',
      run: (input) =>
        input.tool_name === 'Bash' && /\brm\b/.test(input.tool_input.command) ? deny('Remove nothing.') : undefined,
    },
  },
  // Called for tool calls that no rule and no hook has decided.
  canUseTool: (request) => (request.toolName === 'Bash' ? allow() : deny('Only shell commands here.')),
});
console.log(await stream.text());
// #endregion
