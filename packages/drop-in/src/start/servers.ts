import type { McpServerConfig } from '../declarations/mcp.ts';
import type { Options } from '../declarations/options.ts';

/** An in-process server: of `createSdkMcpServer()`, or built by the caller. */
export type OwnServer = Extract<McpServerConfig, { type: 'sdk' }>;

/** Separates in-process servers from those that the CLI starts or calls. */
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

/** The servers that `initialize` carries, if the caller wants that: those that the CLI starts or calls. */
export function awaitedServers({ mcpServers, mcpServersDelivery }: Options): Options['mcpServers'] {
  const { external } = ownServers(mcpServers);
  return mcpServersDelivery === 'initialize' && Object.keys(external).length > 0 ? external : undefined;
}

const NOT_SETTINGS: ReadonlySet<string> = new Set(['type', 'name', 'instance']);

/** The settings of an in-process server for the CLI, besides its name. Does not read `instance`, which would create it. */
export function ownServerSettings(server: OwnServer): Readonly<Record<string, unknown>> {
  const names = Object.keys(server).filter((name) => !NOT_SETTINGS.has(name));
  return Object.fromEntries(names.map((name) => [name, Reflect.get(server, name)]));
}
