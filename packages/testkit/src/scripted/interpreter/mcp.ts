import { type JsonObject, objectOf, objectsIn } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { controlRequest, type Reply, type Request } from './host-request.ts';
import { type McpServer, newServer } from './mcp-server.ts';
import { ask } from './requests.ts';
import { join, type Program } from './tasks.ts';

/** The outcome of a tool call on such a server. */
export interface McpOutcome {
  readonly content: string | readonly JsonObject[];
  readonly isError: boolean;
  /** The server rejected the input. */
  readonly invalid?: boolean;
}

/** Adds a server and starts its handshake; the first message goes out at once. */
export function addServer(conversation: Conversation, name: string): void {
  if (conversation.mcpServers.has(name)) return;
  const server = newServer(name);
  conversation.mcpServers.set(name, server);
  server.connecting = conversation.tasks.start(connect(conversation, server));
}

/** Waits until every server has answered or failed. */
export function* settleServers(conversation: Conversation): Program {
  const connecting = [...conversation.mcpServers.values()].flatMap((server) => server.connecting ?? []);
  yield* join(connecting);
}

/** The names of the SDK-hosted servers on the command line. */
export function serversOnArgv(conversation: Conversation): readonly string[] {
  return (conversation.args.flags.get('--mcp-config') ?? []).flatMap((config) => {
    if (!config.trimStart().startsWith('{')) return [];
    const servers = objectOf(objectOf(JSON.parse(config))?.mcpServers) ?? {};
    return Object.keys(servers).filter((name) => objectOf(servers[name])?.type === 'sdk');
  });
}

/** The server and the tool behind a tool's full name, if they exist. */
export function hostedTool(
  conversation: Conversation,
  toolName: string,
): { readonly server: McpServer; readonly tool: string } | undefined {
  const [, name = '', tool = ''] = /^mcp__(.+?)__(.+)$/.exec(toolName) ?? [];
  const server = conversation.mcpServers.get(name);
  const offered = server?.status === 'connected' && server.tools.some((each) => each.name === tool);
  return offered ? { server, tool } : undefined;
}

/** Lets the host run a tool. */
export function* callTool(
  conversation: Conversation,
  where: { readonly server: McpServer; readonly tool: string },
  call: { readonly input: JsonObject; readonly toolUseId: string },
): Program<McpOutcome> {
  const { server, tool } = where;
  const id = server.nextId;
  const meta = { 'claudecode/toolUseId': call.toolUseId, progressToken: id };
  const request = toServer(conversation, server, 'tools/call', { name: tool, arguments: call.input, _meta: meta });
  const ms = timeout(conversation, 'MCP_TOOL_TIMEOUT');
  const reply = yield* ask(conversation, withCancel(conversation, server, id, request), ms);
  if (reply.kind === 'error') return { content: reply.error, isError: true };
  if (reply.kind === 'closed') return { content: 'Stream closed', isError: true };
  if (reply.kind === 'timeout') {
    const seconds = (ms ?? 0) / 1000;
    return { content: `MCP server "${server.name}" tool "${tool}" timed out after ${seconds}s`, isError: true };
  }
  return outcomeOf(reply);
}

/** Handles an unsolicited message of a server. */
export function fromServer(conversation: Conversation, serverName: unknown, message: unknown): void {
  const server = typeof serverName === 'string' ? conversation.mcpServers.get(serverName) : undefined;
  const { method, id } = objectOf(message) ?? {};
  if (server === undefined) return;
  if (method === 'notifications/tools/list_changed') {
    server.connecting = conversation.tasks.start(listTools(conversation, server));
  } else if (method === 'ping' && id !== undefined) {
    send(conversation, server, { result: {}, jsonrpc: '2.0', id });
  }
}

/** Two attempts, like the CLI. */
function* connect(conversation: Conversation, server: McpServer): Program {
  for (let attempt = 0; attempt < 2; attempt += 1) {
    server.nextId = 0;
    const reply = yield* ask(
      conversation,
      initialize(conversation, server),
      timeout(conversation, 'MCP_TIMEOUT', 30_000),
    );
    const result = resultOf(reply);
    if (result === undefined) continue;
    server.info = objectOf(result.serverInfo) ?? {};
    const initialized = wrapped(conversation, server, { jsonrpc: '2.0', method: 'notifications/initialized' });
    const acknowledged = yield* ask(conversation, initialized, timeout(conversation, 'MCP_TIMEOUT', 30_000));
    if (acknowledged.kind !== 'answer') break;
    return yield* listTools(conversation, server);
  }
  server.status = 'failed';
}

function* listTools(conversation: Conversation, server: McpServer): Program {
  const request = toServer(conversation, server, 'tools/list', undefined);
  const reply = yield* ask(conversation, request, timeout(conversation, 'MCP_TIMEOUT', 30_000));
  const { tools } = resultOf(reply) ?? {};
  server.status = Array.isArray(tools) ? 'connected' : 'failed';
  server.tools = objectsIn(tools).map(({ name, annotations }) => ({
    name: String(name),
    annotations: objectOf(annotations) ?? {},
  }));
}

function initialize(conversation: Conversation, server: McpServer): Request {
  return toServer(conversation, server, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: {
      name: 'claude-code',
      title: 'Claude Code',
      description: 'A scripted agent',
      websiteUrl: 'https://claude.com/claude-code',
      version: conversation.script.cli.version,
    },
  });
}

function toServer(
  conversation: Conversation,
  server: McpServer,
  method: string,
  params: JsonObject | undefined,
): Request {
  const id = server.nextId;
  server.nextId += 1;
  return wrapped(conversation, server, { method, ...(params && { params }), jsonrpc: '2.0', id });
}

function wrapped(conversation: Conversation, server: McpServer, message: JsonObject): Request {
  const request = controlRequest(conversation, { subtype: 'mcp_message', server_name: server.name, message });
  // A notification may be acknowledged with anything; an answer must come wrapped.
  const accepts: Request['accepts'] = (response) =>
    message.id === undefined || objectOf(response)?.mcp_response !== undefined;
  return { ...request, accepts, withdraw: () => {} };
}

/** Sends a message without waiting for its answer. */
function send(conversation: Conversation, server: McpServer, message: JsonObject): void {
  conversation.write(wrapped(conversation, server, message).frame);
}

function withCancel(conversation: Conversation, server: McpServer, requestId: number, request: Request): Request {
  const params = { requestId, reason: 'The call was cancelled' };
  return {
    ...request,
    withdraw: () => send(conversation, server, { jsonrpc: '2.0', method: 'notifications/cancelled', params }),
  };
}

function resultOf(reply: Reply): JsonObject | undefined {
  if (reply.kind !== 'answer') return undefined;
  return objectOf(objectOf(objectOf(reply.response)?.mcp_response)?.result);
}

function outcomeOf(reply: Reply): McpOutcome {
  const response = reply.kind === 'answer' ? objectOf(objectOf(reply.response)?.mcp_response) : undefined;
  const error = objectOf(response?.error);
  if (error) return { content: String(error.message), isError: true, invalid: error.code === -32602 };
  const result = objectOf(response?.result) ?? {};
  const blocks = objectsIn(result.content);
  if (result.isError !== true) return { content: blocks, isError: false };
  const content = blocks.map(({ text }) => String(text ?? '')).join('\n');
  return { content, isError: true, invalid: invalidInput.test(content) };
}

/** How coxswain's tools and the MCP library report that an input does not match its schema. */
const invalidInput = /^(Invalid input for |Input validation error|MCP error -32602)/;

function timeout({ world }: Conversation, variable: string, otherwise: number | null = null): number | null {
  const ms = Number(world.env[variable]);
  return Number.isFinite(ms) && world.env[variable] !== undefined ? ms : otherwise;
}
