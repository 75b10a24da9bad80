import type { McpServerConfig, McpServerStatus, Query } from '@anthropic-ai/claude-agent-sdk';

export const servers: Record<string, McpServerConfig> = {
  files: { command: 'npx', args: ['-y', 'server'], env: { ROOT: '/' } },
  remote: { type: 'http', url: 'https://example.com/mcp', headers: { Authorization: 'Bearer x' } },
  stream: { type: 'sse', url: 'https://example.com/sse' },
};
export const nowhere: McpServerConfig = { type: 'http' }; // wrong
export const socket: McpServerConfig = { type: 'socket', url: 'x' }; // wrong

export async function failed(query: Query): Promise<McpServerStatus[]> {
  const all = await query.mcpServerStatus();
  const { added, errors } = await query.setMcpServers(servers);
  console.log(added.length, Object.keys(errors));
  await query.setMcpServers(['files']); // wrong
  all.filter(({ status }) => status === 'dead'); // wrong
  return all.filter(({ status }) => status === 'failed' || status === 'needs-auth');
}
