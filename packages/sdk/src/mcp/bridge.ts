import type { SdkMcpServer } from '../options/sdk-server.ts';
import { warning } from '../warnings/warning.ts';
import { ToolConnection } from './connection.ts';
import type { ToolServerHost } from './host.ts';
import { acknowledgement, failure, type JsonRpcReply, rpcCode, sortMessage } from './json-rpc.ts';

/** The MCP servers of one session that run in this process, by name. */
export class ToolServers {
  readonly #host: ToolServerHost;
  readonly #connections = new Map<string, ToolConnection>();
  readonly #unknown = new Set<string>();

  /** Takes servers; nothing is made or connected before `open()` or the CLI's first message. */
  constructor(servers: Readonly<Record<string, SdkMcpServer>>, host: ToolServerHost) {
    this.#host = host;
    for (const [name, server] of Object.entries(servers)) {
      this.#connections.set(name, new ToolConnection(name, server, host));
    }
  }

  /** What `initialize.sdkMcpServers` declares. */
  names(): string[] {
    return [...this.#connections.keys()];
  }

  /** Makes and connects all servers. @throws ToolServerBusyError, ToolServerStartError, McpLibraryMissingError */
  async open(): Promise<void> {
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.open()));
  }

  /** Adds a server to a running session and connects it; one of the same name is stopped. @throws like `open` */
  async add(name: string, server: SdkMcpServer): Promise<void> {
    await this.remove(name);
    const connection = new ToolConnection(name, server, this.#host);
    this.#connections.set(name, connection);
    await connection.open();
  }

  /** Stops a server and forgets it. */
  async remove(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    await connection?.stop();
  }

  /**
   * Takes a message that the CLI has sent to a server, and resolves with the JSON-RPC answer that goes back as
   * `mcp_response`: a notification is acknowledged, a failure is an error answer. Never rejects, and the answer can be
   * written as JSON. `signal` withdraws the message.
   */
  async handle(server: string, message: unknown, signal?: AbortSignal): Promise<JsonRpcReply> {
    const sorted = sortMessage(message);
    if (sorted.kind === 'malformed') {
      const what = `The CLI sent the MCP server ${JSON.stringify(server)} something that is no JSON-RPC message.`;
      this.#host.warn(warning('tool-message-malformed', what, { server }));
      return failure(sorted.id, rpcCode.invalidRequest, 'Not a JSON-RPC message.');
    }
    const connection = this.#connections.get(server);
    if (connection === undefined) this.#warnOfUnknown(server);
    if (sorted.kind === 'request') {
      const unknown = failure(sorted.message.id, rpcCode.methodNotFound, `There is no MCP server ${server} here.`);
      return connection?.ask(sorted.message, signal) ?? unknown;
    }
    connection?.tell(sorted.message);
    return acknowledgement;
  }

  /** Answers everything that is open with an error, at once, and closes the servers; never rejects. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.stop()));
  }

  /** Once for each name. */
  #warnOfUnknown(server: string): void {
    if (this.#unknown.has(server)) return;
    this.#unknown.add(server);
    const what = `The CLI wants to talk to the MCP server ${JSON.stringify(server)}, which this session does not have.`;
    this.#host.warn(warning('tool-server-unknown', what, { server }));
  }
}
