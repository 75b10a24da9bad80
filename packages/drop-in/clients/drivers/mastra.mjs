// Drives the Claude agent of Mastra.
import process from 'node:process';
import { createSdkMcpServer, tool } from '@anthropic-ai/claude-agent-sdk';
import { ClaudeSDKAgent } from '@mastra/claude';
import { z } from 'zod';
import { failure, report } from './report.mjs';

const calls = [];
const depth = tool('depth', 'The depth of the water.', { at: z.string() }, async (args) => {
  calls.push(args);
  return { content: [{ type: 'text', text: `four metres at ${args.at}` }] };
});
const sdkOptions = {
  cwd: process.env.DRIVER_PROJECT,
  pathToClaudeCodeExecutable: process.env.CLAUDE_CODE_EXECUTABLE,
  model: 'sonnet',
  mcpServers: { harbour: createSdkMcpServer({ name: 'harbour', tools: [depth] }) },
  allowedTools: ['mcp__harbour__depth'],
};
const agent = new ClaudeSDKAgent({ id: 'driver', name: 'Driver', description: 'Answers.', sdkOptions });

const generated = await agent.generate('Say hello.');
report('generate: text', generated.text, 'Hello from the model.');
report('generate: usage', generated.usage);
report('generate: finish reason', generated.finishReason);

const streamed = await agent.stream('How deep is it?');
const kinds = [];
for await (const chunk of streamed.fullStream) kinds.push(chunk.type);
report('stream: chunks', kinds);
report('stream: text', await streamed.text, 'Four metres.');
report('stream: tool', calls, [{ at: 'the pier' }]);

const missing = new ClaudeSDKAgent({
  id: 'missing',
  name: 'Missing',
  description: 'Has no CLI.',
  sdkOptions: { ...sdkOptions, pathToClaudeCodeExecutable: '/no/such/claude' },
});
report('no executable', (await failure(missing.generate('Say hello.')))?.message.split('. ')[0]);
process.exit();
