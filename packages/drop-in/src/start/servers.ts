import type { McpServerConfig } from '../declarations/mcp.ts';

/** A server of `createSdkMcpServer()`, or one that the caller built: it runs in this process. */
export type OwnServer = Extract<McpServerConfig, { type: 'sdk' }>;

/** Divides servers into those that run in this process and those that the CLI starts or calls. */
export function ownServers(servers: Readonly<Record<string, McpServerConfig>> | undefined): {
  readonly own: Readonly<Record<string, OwnServer>>;
  readonly external: Readonly<Record<string, McpServerConfig>>;
} {
  const own: Record<string, OwnServer> = {};
  const external: Record<string, McpServerConfig> = {};
  for (const [name, server] of Object.entries(servers ?? {})) {
    if (server.type === 'sdk') own[name] = server;
    else external[name] = server;
  }
  return { own, external };
}

/** What the CLI is told about a server of this process, beside its name. */
export function ownServerSettings({ instance: _, type: __, name: ___, ...settings }: OwnServer): object {
  return settings;
}
