import type { CallbackEvent } from '../../src/callbacks/callback-request.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import type { ToolServerHost } from '../../src/mcp/connection.ts';
import { ToolServers } from '../../src/mcp/tool-servers.ts';
import type { SdkMcpServer } from '../../src/options/sdk-server.ts';
import { currentContext } from '../../src/timing/caller.ts';
import type { Warning } from '../../src/warnings/warning.ts';

/** A session's servers, and the records of their session. */
export interface Hosted extends AsyncDisposable {
  readonly servers: ToolServers;
  readonly sent: { readonly server: string; readonly message: Readonly<Record<string, unknown>> }[];
  readonly warnings: Warning[];
  readonly events: CallbackEvent[];
  /** A client like that of the CLI for one server; its ids start at 0. */
  client(server: string): Client;
}

/** The CLI's side of one server. */
export interface Client {
  /** Sends a request, with the next id unless one is given. */
  request(method: string, params?: object, rule?: { id?: string | number; signal?: AbortSignal }): Promise<Reply>;
  notify(method: string, params?: object): Promise<Reply>;
  handshake(): Promise<Reply>;
  call(tool: string, input?: object, rule?: { id?: number; signal?: AbortSignal; toolUseId?: string }): Promise<Reply>;
}

/** A loosely typed JSON-RPC answer. */
export interface Reply {
  readonly jsonrpc: string;
  readonly id: string | number | null;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Hosts servers as a session does. */
export function host(
  servers: Readonly<Record<string, SdkMcpServer>>,
  given: Partial<Omit<ToolServerHost, 'limits'>> & { limits?: Partial<ToolServerHost['limits']> } = {},
): Hosted {
  const sent: Hosted['sent'] = [];
  const warnings: Warning[] = [];
  const events: CallbackEvent[] = [];
  const hosted = new ToolServers(servers, {
    send: (server, message) => void sent.push({ server, message: { ...message } }),
    warn: (warning) => void warnings.push(warning),
    context: currentContext,
    report: { skip: () => false, event: (event) => void events.push(event) },
    ...given,
    limits: { toolRequestTimeoutMs: 5_000, toolCallTimeoutMs: 0, toolCloseMs: 1_000, ...given.limits },
  });
  return {
    servers: hosted,
    sent,
    warnings,
    events,
    client: (server) => clientOf(hosted, server),
    [Symbol.asyncDispose]: () => hosted.stop(),
  };
}

function clientOf(servers: ToolServers, server: string): Client {
  let next = 0;
  const handle = async (message: object, signal?: AbortSignal): Promise<Reply> => {
    // Convert through JSON, as the pipe does in both directions.
    const reply = await servers.handle(server, JSON.parse(JSON.stringify({ jsonrpc: '2.0', ...message })), signal);
    return JSON.parse(JSON.stringify(reply));
  };
  const client: Client = {
    request: (method, params, rule = {}) => handle({ id: rule.id ?? next++, method, params }, rule.signal),
    notify: (method, params) => handle({ method, params }),
    async handshake() {
      const reply = await client.request('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'claude-code', version: PINNED_VERSION },
      });
      await client.notify('notifications/initialized');
      return reply;
    },
    call: (name, input = {}, { toolUseId, ...rule } = {}) =>
      client.request(
        'tools/call',
        { name, arguments: input, ...(toolUseId ? { _meta: { 'claudecode/toolUseId': toolUseId } } : {}) },
        rule,
      ),
  };
  return client;
}
