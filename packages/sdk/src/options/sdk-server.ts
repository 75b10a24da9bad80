import type { JsonRpcError, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../mcp/json-rpc.ts';
import { at } from './checks.ts';
import type { McpServerConfig } from './mcp-server-config.ts';
import { type NamedServer, ruleForServer } from './server-names.ts';

/** An MCP server in this process: a factory for each session, a server for one session at a time, or a bare function. */
export type SdkMcpServer = ToolServerFactory | ConnectableServer | RawToolHandler;

/** Creates an MCP server for each session; `toolServer()` returns one. */
export interface ToolServerFactory {
  create(host?: ToolFailures): ConnectableServer | RawToolHandler | Promise<ConnectableServer | RawToolHandler>;
  /** `false` subjects its tools to rules and `canUseTool`; otherwise they are allowed. */
  readonly autoAllow?: boolean | undefined;
}

/** Receives the failures of a server's tools, for the warnings of the session. */
export type ToolFailures = {
  failed(tool: string, error: unknown): void;
};

/** An `McpServer` or `Server` of the MCP SDK, version 1 or 2. */
export interface ConnectableServer {
  connect(transport: McpTransportLike): Promise<void>;
  close?(): Promise<void>;
}

/** The transport an MCP server is connected to. */
export type McpTransportLike = {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?(message: object): void;
};

/**
 * Answers MCP messages without a library. It receives requests and notifications and returns the reply to a request;
 * the id may be left out. An exception becomes the error −32603.
 */
export type RawToolHandler = (
  message: JsonRpcRequest | JsonRpcNotification,
  context: RawToolContext,
) => RawToolReply | undefined | Promise<RawToolReply | undefined>;

/** What a raw handler receives besides the message. */
export interface RawToolContext {
  /** Aborted when the request is cancelled or the session ends. */
  readonly signal: AbortSignal;
}

/** A raw handler's reply to a request. */
export type RawToolReply = { readonly jsonrpc?: '2.0'; readonly id?: JsonRpcId | null } & (
  | { readonly result: object }
  | { readonly error: JsonRpcError }
);

/** True for an MCP server in this process, false for the configuration of an external one. */
export function isSdkServer(value: unknown): value is SdkMcpServer {
  return typeof value === 'function' || isFactory(value) || isConnectable(value);
}

/** The configuration without the fields that only the SDK reads. */
export function withoutOwnFields({ required: _, ...config }: McpServerConfig): object {
  return config;
}

/** The MCP servers that the CLI starts or connects to. */
export function externalServers(servers: McpServers): Record<string, McpServerConfig> {
  return Object.fromEntries(
    Object.entries(servers).filter((entry): entry is [string, McpServerConfig] => !isSdkServer(entry[1])),
  );
}

/** The MCP servers that run in this process. */
export function ownServers(servers: McpServers): Record<string, SdkMcpServer> {
  return Object.fromEntries(
    Object.entries(servers).filter((entry): entry is [string, SdkMcpServer] => isSdkServer(entry[1])),
  );
}

/** The servers in an object keyed by name, with the path of each. */
export function namedServers(servers: object, path: string): NamedServer[] {
  return Object.entries(servers).map(([name, server]) => ({
    name,
    path: at(path, name),
    inProcess: isSdkServer(server),
  }));
}

type McpServers = Readonly<Record<string, McpServerConfig | SdkMcpServer>>;

export function isFactory(value: unknown): value is ToolServerFactory {
  return hasMethod(value, 'create');
}

/** True for a server instance, which can serve only one session at a time. */
export function isConnectable(value: unknown): value is ConnectableServer {
  return hasMethod(value, 'connect') && !isFactory(value);
}

/** The rules for `allowedTools` that allow the tools of all servers in this process without `autoAllow: false`. */
export function autoAllowed(servers: Readonly<Record<string, unknown>>): string[] {
  return openServers(servers).map(ruleForServer);
}

/** The names of the servers in this process whose tools are allowed. */
export function openServers(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    isSdkServer(server) && !(isFactory(server) && server.autoAllow === false) ? [name] : [],
  );
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}
