import type { JsonRpcError, JsonRpcId, JsonRpcNotification, JsonRpcRequest } from '../mcp/json-rpc.ts';
import type { McpServerConfig } from './option-types.ts';

/** An MCP server in this process: a factory for each session, a server for one session at a time, or a bare function. */
export type SdkMcpServer = ToolServerFactory | ConnectableServer | RawToolHandler;

/** Creates an MCP server for each session; `toolServer()` returns one. */
export interface ToolServerFactory {
  create(): ConnectableServer | RawToolHandler | Promise<ConnectableServer | RawToolHandler>;
  /** `false` subjects its tools to rules and `canUseTool`; otherwise they are allowed. */
  readonly autoAllow?: boolean | undefined;
}

/** A server of the MCP SDK, version 1 or 2: `McpServer` or `Server`. */
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
 * Answers MCP messages without a library. It receives requests and notifications, and returns the answer to a request;
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

/** The answer of a raw handler to a request. */
export type RawToolReply = { readonly jsonrpc?: '2.0'; readonly id?: JsonRpcId | null } & (
  | { readonly result: object }
  | { readonly error: JsonRpcError }
);

/** True for an MCP server in this process, false for the configuration of an external one. */
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

export function isFactory(value: unknown): value is ToolServerFactory {
  return hasMethod(value, 'create');
}

/** True for a server that is connected itself, so that it serves one session at a time. */
export function isConnectable(value: unknown): value is ConnectableServer {
  return hasMethod(value, 'connect') && !isFactory(value);
}

/** The rules for `allowedTools` that allow the tools of all servers in this process, unless `autoAllow` is false. */
export function autoAllowed(servers: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(servers).flatMap(([name, server]) =>
    isSdkServer(server) && !(isFactory(server) && server.autoAllow === false) ? [ruleFor(name)] : [],
  );
}

/** The CLI's name for a tool of a server; characters that such a name cannot contain are replaced. */
export function toolNameOf(server: string, tool: string): string {
  return `mcp__${allowedInNames(server)}__${allowedInNames(tool)}`;
}

/** The CLI reads `mcp__a__b` as the tool `b` of the server `a`, so such names need the other form. */
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
