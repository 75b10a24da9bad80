import type { McpServerConfig } from '../options/groups.ts';
import { isSdkServer, type SdkMcpServer } from '../options/sdk-server.ts';

/** The MCP servers that the CLI starts or calls itself. */
export function externalServers(
  servers: Readonly<Record<string, McpServerConfig | SdkMcpServer>>,
): Record<string, McpServerConfig> {
  const external: Record<string, McpServerConfig> = {};
  for (const [name, server] of Object.entries(servers)) if (!isSdkServer(server)) external[name] = server;
  return external;
}

/** The MCP servers that run in this process. */
export function ownServers(
  servers: Readonly<Record<string, McpServerConfig | SdkMcpServer>>,
): Record<string, SdkMcpServer> {
  const own: Record<string, SdkMcpServer> = {};
  for (const [name, server] of Object.entries(servers)) if (isSdkServer(server)) own[name] = server;
  return own;
}
