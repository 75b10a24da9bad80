import { isObject } from '@coxswain/shared/is-object';
import type { AgentOptions } from 'coxswain';
import type {
  ConnectableServer,
  JsonRpcNotification,
  JsonRpcRequest,
  RawToolHandler,
  RawToolReply,
  SdkMcpServer,
  ToolServerFactory,
} from 'coxswain/mcp';
import { callsOf, type RecordedCall, type Scenario } from '../scenario/scenario.ts';

/**
 * The MCP servers of an agent with recorded results. Servers in this process list today's tools, but their functions are not called;
 * servers outside are not started: they list the tools that the recording called, and accept any input.
 */
function recordedServers(servers: AgentOptions['mcpServers'], scenario: Scenario): AgentOptions['mcpServers'] {
  const results = new ToolResults(scenario);
  return Object.fromEntries(
    Object.entries(servers ?? {}).map(([name, server]) => [
      name,
      isInProcess(server) ? withResults(server, name, results) : standIn(name, results),
    ]),
  );
}

/**
 * The servers of an agent and of its subagents with recorded results. A subagent names its servers instead of defining them, so the
 * main conversation also lists their tools.
 */
export function withoutOwnServers(
  { mcpServers, agents }: AgentOptions,
  scenario: Scenario,
): Pick<AgentOptions, 'mcpServers' | 'agents'> {
  const ofAgents = Object.values(agents ?? {}).flatMap(({ mcpServers: own = [] }) =>
    own.flatMap((server) => (typeof server === 'string' ? [] : Object.entries(server))),
  );
  const all = { ...Object.fromEntries(ofAgents), ...mcpServers };
  const named = Object.entries(agents ?? {}).map(([name, { mcpServers: own, ...agent }]) => [
    name,
    own === undefined
      ? agent
      : { ...agent, mcpServers: own.flatMap((server) => (typeof server === 'string' ? server : Object.keys(server))) },
  ]);
  return {
    ...(Object.keys(all).length > 0 ? { mcpServers: recordedServers(all, scenario) } : {}),
    ...(agents === undefined ? {} : { agents: Object.fromEntries(named) }),
  };
}

/** The recorded results of the calls to MCP tools, each used once. */
class ToolResults {
  readonly #calls: RecordedCall[];
  readonly #scenario: Scenario;

  constructor(scenario: Scenario) {
    this.#scenario = scenario;
    this.#calls = callsOf(scenario).flatMap(({ call }) => (call.name.startsWith('mcp__') ? [call] : []));
  }

  toolsOf(server: string): string[] {
    const prefix = prefixOf(server);
    const names = this.#calls
      .filter(({ name }) => name.startsWith(prefix))
      .map(({ name }) => name.slice(prefix.length));
    return [...new Set(names)];
  }

  /** The MCP result of a call: that of the recorded call with this input, otherwise that of the tool's next recorded call. */
  next(server: string, params: unknown): object {
    const { name, arguments: input = {} } = isObject(params) ? params : {};
    const full = `${prefixOf(server)}${String(name)}`;
    const same = this.#calls.findIndex(
      (call) => call.name === full && JSON.stringify(call.input) === JSON.stringify(input),
    );
    const at = same === -1 ? this.#calls.findIndex((call) => call.name === full) : same;
    const [call] = at === -1 ? [] : this.#calls.splice(at, 1);
    const result = call === undefined ? undefined : this.#scenario.results[call.id];
    if (result?.outcome !== 'ran') return { content: [{ type: 'text', text: 'No result was recorded.' }] };
    return { content: [{ type: 'text', text: result.text }], isError: result.isError };
  }
}

/** The CLI's prefix for the tools of a server. */
function prefixOf(server: string): string {
  return `mcp__${server.replace(/[^a-zA-Z0-9_-]/g, '_')}__`;
}

function isInProcess(server: unknown): server is SdkMcpServer {
  return typeof server === 'function' || (isObject(server) && ('create' in server || 'connect' in server));
}

function withResults(server: SdkMcpServer, name: string, results: ToolResults): SdkMcpServer {
  if (typeof server === 'function') return ofHandler(server, name, results);
  if (!('create' in server)) return ofConnectable(server, name, results);
  const factory: ToolServerFactory = {
    async create(host) {
      const made = await server.create(host);
      return typeof made === 'function' ? ofHandler(made, name, results) : ofConnectable(made, name, results);
    },
    ...(server.autoAllow === undefined ? {} : { autoAllow: server.autoAllow }),
  };
  return factory;
}

function ofHandler(handler: RawToolHandler, name: string, results: ToolResults): RawToolHandler {
  return (message, context) =>
    message.method === 'tools/call' ? { result: results.next(name, message.params) } : handler(message, context);
}

function ofConnectable(server: ConnectableServer, name: string, results: ToolResults): ConnectableServer {
  return {
    connect(transport) {
      const forwarded: typeof transport = {
        async start() {
          transport.onmessage = (message) => {
            if (!('method' in message) || message.method !== 'tools/call') return forwarded.onmessage?.(message);
            const id = 'id' in message ? message.id : undefined;
            const params = 'params' in message ? message.params : undefined;
            void transport.send({ jsonrpc: '2.0', id, result: results.next(name, params) }).catch(() => {});
          };
          transport.onclose = () => forwarded.onclose?.();
          transport.onerror = (error) => forwarded.onerror?.(error);
          await transport.start();
        },
        send: (message) => transport.send(message),
        close: () => transport.close(),
      };
      return server.connect(forwarded);
    },
    ...(server.close === undefined ? {} : { close: () => server.close?.() ?? Promise.resolve() }),
  };
}

/** Replaces a server that is not started. Rules and `canUseTool` decide about its tools, as for the original. */
function standIn(name: string, results: ToolResults): ToolServerFactory {
  const tools = results.toolsOf(name).map((tool) => ({ name: tool, inputSchema: { type: 'object' } }));
  const answer = ({ method, params }: JsonRpcRequest | JsonRpcNotification): RawToolReply | undefined => {
    if (method === 'initialize') {
      const serverInfo = { name, version: '0.0.0' };
      return { result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } };
    }
    if (method === 'tools/list') return { result: { tools } };
    if (method === 'tools/call') return { result: results.next(name, params) };
    return method.startsWith('notifications/') ? undefined : { result: {} };
  };
  return { create: () => answer, autoAllow: false };
}
