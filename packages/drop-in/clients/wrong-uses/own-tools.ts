import { createSdkMcpServer, type Options, tool } from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const add = tool('add', 'Adds.', { a: z.number(), b: z.number().optional() }, async ({ a, b }) => ({
  content: [{ type: 'text', text: String(a + (b ?? 0)) }],
}));
const shout = tool(
  'shout',
  'Shouts.',
  { word: z.string() },
  async ({ word }) => ({
    content: [{ type: 'text', text: word.toUpperCase() }],
  }),
  { annotations: { readOnlyHint: true } },
);
const all = [add, shout];

export const options: Options = {
  mcpServers: { own: createSdkMcpServer({ name: 'own', version: '1.0.0', tools: all, alwaysLoad: true }) },
  allowedTools: ['mcp__own__add'],
};
tool('wrong', 'Wrong.', { a: z.number() }, async ({ a }) => ({ content: [{ type: 'text', text: a }] })); // wrong
tool('wrong', 'Wrong.', { a: 'number' }, async () => ({ content: [] })); // wrong
tool('wrong', 'Wrong.', {}, async () => 'text'); // wrong
createSdkMcpServer({ tools: all }); // wrong
const fixed = [add, shout] as const;
createSdkMcpServer({ name: 'own', tools: fixed }); // wrong
