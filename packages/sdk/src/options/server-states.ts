import {
  describeServer,
  McpServerCollisionError,
  McpServerUnavailableError,
  type UnavailableServer,
} from '../errors/mcp-server.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { isJsonObject } from '../wire/kinds.ts';
import type { AgentOptions } from './option-types.ts';
import { externalServers, isSdkServer, openServers, ownServers } from './sdk-server.ts';
import { namesServer, opensServer, straysInto } from './server-names.ts';

/** An MCP server as the CLI lists it; `system/init` omits the reason of a failure. */
export interface ListedServer {
  readonly name: string;
  readonly status: string;
  readonly error?: string;
  readonly [field: string]: unknown;
}

/** True for a readable entry in a list of servers. */
export function isListedServer(entry: unknown): entry is ListedServer {
  return isJsonObject(entry) && typeof entry.name === 'string' && typeof entry.status === 'string';
}

type ServerOptions = Pick<AgentOptions, 'mcpServers' | 'mcpConfigPath' | 'allowedTools' | 'permissionPromptTool'>;

/** True if the first prompt waits for servers: the options define or rely on servers outside this process. */
export function awaitsServers(options: ServerOptions): boolean {
  const { mcpServers = {}, mcpConfigPath } = options;
  const external = Object.keys(externalServers(mcpServers)).length > 0;
  return mcpConfigPath !== undefined || external || foreignRules(options).length > 0;
}

/** True if the run must not begin without a server outside this process. */
export function requiresServers(options: ServerOptions): boolean {
  const explicit = Object.values(externalServers(options.mcpServers ?? {})).some(({ required }) => required);
  return explicit || foreignRules(options).length > 0;
}

/** The servers that the first prompt waits for and that are not connected yet. */
export function startingServers(listed: readonly ListedServer[], options: ServerOptions): ListedServer[] {
  const { mcpServers = {} } = options;
  const own = ownServers(mcpServers);
  return listed.filter(({ name, status, scope }) => {
    if (status !== 'pending' || Object.hasOwn(own, name)) return false;
    // The scope of servers from the command line.
    return scope === 'dynamic' || Object.hasOwn(mcpServers, name) || requiredBy(name, options) !== undefined;
  });
}

/** The unavailable servers. A disabled or starting server counts only if it is required. */
export function unavailableServers(listed: readonly ListedServer[], options: ServerOptions): UnavailableServer[] {
  const found = listed.flatMap(({ name, status, error }) => {
    const required = requiredBy(name, options);
    const bad = UNAVAILABLE.includes(status) || (required !== undefined && UNUSED.includes(status));
    return bad ? [{ name, status, reason: error ?? null, requiredBy: required ?? null }] : [];
  });
  const missing = Object.entries(externalServers(options.mcpServers ?? {})).flatMap(([name, { required }]) => {
    if (required !== true || listed.some((server) => server.name === name)) return [];
    return [{ name, status: 'missing', reason: null, requiredBy: requiredBy(name, options) ?? null }];
  });
  return [...found, ...missing];
}

/** The warning about an unavailable server. */
export function serverWarning(server: UnavailableServer): Warning {
  const { name, status, reason } = server;
  return warning('mcp-server-unavailable', `${describeServer(server)}.`, { server: name, status, reason });
}

/** The error for an unavailable required server, or for a server that a rule for another one also allows. */
export function serverFailure(
  listed: readonly ListedServer[],
  options: ServerOptions,
): McpServerUnavailableError | McpServerCollisionError | undefined {
  const collision = serverCollision(listed, options);
  if (collision) return collision;
  const required = unavailableServers(listed, options).filter(({ requiredBy: by }) => by !== null);
  return required.length > 0 ? new McpServerUnavailableError(required) : undefined;
}

const UNAVAILABLE: readonly string[] = ['failed', 'needs-auth'];
const UNUSED: readonly string[] = ['pending', 'disabled'];

/** The option that requires a server. */
function requiredBy(name: string, options: ServerOptions): string | undefined {
  const { mcpServers = {} } = options;
  if (Object.hasOwn(ownServers(mcpServers), name)) return undefined;
  const external = externalServers(mcpServers);
  const server = Object.hasOwn(external, name) ? external[name] : undefined;
  if (server?.required === false) return undefined;
  if (server?.required) return 'mcpServers';
  if (options.permissionPromptTool && namesServer(options.permissionPromptTool, name)) return 'permissionPromptTool';
  return options.allowedTools?.some((rule) => namesServer(rule, name)) ? 'allowedTools' : undefined;
}

/** The error for a server from settings or plugins whose tools a rule for another server allows, in any state. */
export function serverCollision(
  listed: readonly ListedServer[],
  { mcpServers = {}, allowedTools = [] }: ServerOptions,
): McpServerCollisionError | undefined {
  const own = ownServers(mcpServers);
  for (const { name: server, source } of listed) {
    if (Object.hasOwn(own, server) && isElsewhere(source)) {
      return new McpServerCollisionError({ server, allowedBy: `mcpServers.${server}` });
    }
    if (Object.hasOwn(mcpServers, server)) continue;
    const opener = openServers(mcpServers).find((name) => opensServer(name, server));
    const rule = allowedTools.find((each) => straysInto(each, server));
    const allowedBy = opener === undefined ? rule : `mcpServers.${opener}`;
    if (allowedBy !== undefined) return new McpServerCollisionError({ server, allowedBy });
  }
  return undefined;
}

/** In `system/init` a server in this process has this source, unless the CLI merged its tools into another of the same name. */
function isElsewhere(source: unknown): boolean {
  return typeof source === 'string' && source !== 'sdk';
}

/** The rules for MCP servers outside this process, which the run may require. */
function foreignRules({ mcpServers = {}, allowedTools = [], permissionPromptTool = '' }: ServerOptions): string[] {
  const settled = Object.entries(mcpServers).flatMap(([name, server]) =>
    isSdkServer(server) || server.required === false ? [name] : [],
  );
  const rules = [...allowedTools, permissionPromptTool].filter((rule) => rule.includes('mcp__'));
  return rules.filter((rule) => !settled.some((name) => namesServer(rule, name)));
}
