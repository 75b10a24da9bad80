import type { Query, SDKControlGetContextUsageResponse } from '@anthropic-ai/claude-agent-sdk';

export async function free(query: Query): Promise<number> {
  const usage: SDKControlGetContextUsageResponse = await query.getContextUsage();
  const unused = usage.categories.filter(({ kind }) => kind === 'free').map(({ tokens }) => tokens);
  const servers: string[] = usage.mcpTools.map(({ serverName }) => serverName);
  const full: boolean = usage.isAutoCompactEnabled && usage.percentage > 90;
  usage.categories.filter(({ kind }) => kind === 'unused'); // wrong
  const enabled: string = usage.isAutoCompactEnabled; // wrong
  usage.freeTokens; // wrong
  return (unused[0] ?? 0) + servers.length + (full ? 1 : 0) + (usage.apiUsage?.input_tokens ?? 0) + enabled.length;
}
