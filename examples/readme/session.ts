// #region session
import { allow, deny, openSession } from 'coxswain';
import { tool, toolServer } from 'coxswain/mcp'; // needs @modelcontextprotocol/server
import { z } from 'zod';

const deploys = tool('last_deploy', 'When a service was last deployed.', z.object({ service: z.string() }), (input) =>
  input.service === 'api' ? 'yesterday, 17:04' : 'never',
);

await using session = openSession({
  mcpServers: { ops: toolServer({ name: 'ops', tools: [deploys] }) },
  hooks: {
    // A guard: asked before every Bash call. If it breaks, the call does not run.
    PreToolUse: {
      matcher: 'Bash',
      onFailure: 'block',
      run: (input) =>
        input.tool_name === 'Bash' && /\brm\b/.test(input.tool_input.command) ? deny('Remove nothing.') : undefined,
    },
  },
  // Asked about what neither a rule nor a hook has decided.
  canUseTool: (request) => (request.toolName === 'Bash' ? allow() : deny('Not in this program.')),
});

const first = session.send('When was the api service deployed? Is the build folder older than that?');
for await (const message of first) console.log(message.type);
console.log(await session.send('Then remove the build folder.').text()); // a second turn, same conversation
// #endregion
