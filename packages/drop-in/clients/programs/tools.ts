// In-process tools and configured servers.
import {
  createSdkMcpServer,
  type McpSdkServerConfigWithInstance,
  type McpServerConfig,
  type McpServerStatus,
  type Options,
  query,
  type SdkMcpToolDefinition,
  tool,
} from '@anthropic-ai/claude-agent-sdk';
import { z } from 'zod';

const add = tool(
  'add',
  'Adds two numbers.',
  { a: z.number(), b: z.number(), note: z.string().optional() },
  async ({ a, b, note }, extra) => {
    const sum: number = a + b;
    const said: string = note?.toUpperCase() ?? typeof extra;
    return { content: [{ type: 'text', text: `${sum} ${said}` }] };
  },
  { annotations: { readOnlyHint: true, title: 'Add' } },
);

const fails = tool('fails', 'Fails.', {}, async () => ({
  content: [{ type: 'text' as const, text: 'no' }],
  isError: true,
  structuredContent: { reason: 'none' },
}));

// biome-ignore lint/suspicious/noExplicitAny: a list of tools with different inputs, as programs declare it
const tools: SdkMcpToolDefinition<any>[] = [add, fails];
export const server: McpSdkServerConfigWithInstance = createSdkMcpServer({ name: 'sums', version: '1.0.0', tools });
server.instance.registerTool('extra', { description: 'More.' }, async () => ({ content: [] }));

const mcpServers: Record<string, McpServerConfig> = {
  sums: server,
  files: { command: 'npx', args: ['-y', 'files-server'], env: { ROOT: '/tmp' } },
  remote: { type: 'http', url: 'https://example.test/mcp', headers: { authorization: 'x' } },
  events: { type: 'sse', url: 'https://example.test/sse' },
};

export async function main(): Promise<McpServerStatus[]> {
  const options = { mcpServers, allowedTools: ['mcp__sums__add'], strictMcpConfig: true } satisfies Options;
  const running = query({ prompt: 'Add.', options });
  const status = await running.mcpServerStatus();
  const broken = status.filter((one) => one.status === 'failed').map(({ name, error }) => `${name}: ${error}`);
  const { added, removed, errors } = await running.setMcpServers({ sums: server });
  console.log(broken, added.length, removed.length, Object.keys(errors));
  await running.toggleMcpServer('files', false);
  await running.reconnectMcpServer('files');
  running.close();
  return status;
}
