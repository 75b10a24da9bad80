import type { JsonRpcError, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../mcp/json-rpc.ts';
import type { McpServerConfig } from './groups.ts';

/** An MCP server that runs in this process: one for each session, one for one session at a time, or a bare function. */
export type SdkMcpServer = ToolServerFactory | ConnectableServer | RawToolHandler;

/** Makes an MCP server for each session; what `toolServer()` gives. */
export interface ToolServerFactory {
  create(): ConnectableServer | RawToolHandler | Promise<ConnectableServer | RawToolHandler>;
  /** `false` leaves its tools to rules and `canUseTool`; else they are allowed. */
  readonly autoAllow?: boolean | undefined;
}

/** An MCP server as the MCP SDK makes them, version 1 and 2: `McpServer` or `Server`. */
export interface ConnectableServer {
  connect(transport: McpTransportLike): Promise<void>;
  close?(): Promise<void>;
}

/** The transport an MCP server is connected to. */
export interface McpTransportLike {
  start(): Promise<void>;
  send(message: object): Promise<void>;
  close(): Promise<void>;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?(message: object): void;
}

/**
 * Answers MCP messages without a library. It gets requests and notifications, and gives back the answer to a request;
 * the id may be left out. A throw becomes the error −32603.
 */
export type RawToolHandler = (
  message: JsonRpcRequest | JsonRpcNotification,
  context: RawToolContext,
) => RawToolReply | undefined | Promise<RawToolReply | undefined>;

/** What a raw handler gets beside the message. */
export interface RawToolContext {
  /** Aborted when the request is cancelled or the session stops. */
  readonly signal: AbortSignal;
}

/** What a raw handler answers a request with. */
export type RawToolReply = { readonly jsonrpc?: '2.0'; readonly id?: JsonRpcId | null } & (
  | { readonly result: object }
  | { readonly error: JsonRpcError }
);

/** True for an MCP server that runs in this process, false for the configuration of one that does not. */
export function isSdkServer(value: unknown): value is SdkMcpServer {
  return typeof value === 'function' || isFactory(value) || isConnectable(value);
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

type McpServers = Readonly<Record<string, McpServerConfig | SdkMcpServer>>;

/** True for an object that makes servers. */
export function isFactory(value: unknown): value is ToolServerFactory {
  return hasMethod(value, 'create');
}

/** True for a server that can be connected itself, and so by one session at a time. */
export function isConnectable(value: unknown): value is ConnectableServer {
  return hasMethod(value, 'connect') && !isFactory(value);
}

/** The rules for `allowedTools` that allow the tools of all servers in this process, except where `autoAllow` is false. */
export function autoAllowed(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    isSdkServer(server) && !(isFactory(server) && server.autoAllow === false) ? [ruleFor(name)] : [],
  );
}

/** What the CLI calls a tool of a server: what such a name cannot hold is replaced. */
export function toolNameOf(server: string, tool: string): string {
  return `mcp__${allowedInNames(server)}__${allowedInNames(tool)}`;
}

/** The CLI takes `mcp__a__b` for the tool `b` of the server `a`, hence the other form for such names. */
function ruleFor(server: string): string {
  const name = allowedInNames(server);
  return /__|_$/.test(name) ? `mcp__${name}__*` : `mcp__${name}`;
}

function allowedInNames(name: string): string {
  return name.replace(/[^a-zA-Z0-9_-]/g, '_');
}

function hasMethod(value: unknown, name: string): boolean {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, name) === 'function';
}
