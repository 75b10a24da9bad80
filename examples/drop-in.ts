/** A program as it is written for the official SDK. With an override in package.json its import stays as it was, too. */
import { createSdkMcpServer, type Options, query, type SDKUserMessage, tool } from '@coxswain/drop-in';
import { script } from '@coxswain/testkit';
import { z } from 'zod';
import { pickAgent } from './agent.ts';

const scripted = script().otherwise((turn) =>
  turn
    .useTool('mcp__boats__seats', { boat: 'Ariel' })
    .useTool('Bash', { command: 'rm -rf boats' })
    .say('Ariel has 8 seats, and is still there.'),
);
await using agent = await pickAgent(scripted);

// #region program
const seats = tool('seats', 'The seats of a boat.', { boat: z.string() }, async ({ boat }) => ({
  content: [{ type: 'text', text: `${boat} has 8 seats` }],
}));

async function* prompts(): AsyncGenerator<SDKUserMessage> {
  const content = agent.prompt ?? 'How many seats does Ariel have? Then remove all boats.';
  yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

const options: Options = {
  mcpServers: { boats: createSdkMcpServer({ name: 'boats', tools: [seats] }) },
  canUseTool: async (name, input) =>
    name === 'Bash' ? { behavior: 'deny', message: 'No shell.' } : { behavior: 'allow', updatedInput: input },
};
if (agent.cli !== 'auto') options.pathToClaudeCodeExecutable = agent.cli;
for await (const message of query({ prompt: prompts(), options })) {
  if (message.type === 'result') {
    console.log(message.subtype === 'success' ? message.result : message.errors.join('; '));
    console.log(`refused: ${message.permission_denials.map(({ tool_name }) => tool_name).join(', ')}`);
  }
}
// #endregion
