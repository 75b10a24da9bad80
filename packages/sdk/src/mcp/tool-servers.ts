import type { SdkMcpServer } from '../options/sdk-server.ts';
import { shortName, WarnedOnce } from '../warnings/warned-once.ts';
import { warning } from '../warnings/warning.ts';
import { ToolConnection, type ToolServerHost } from './connection.ts';
import { acknowledgement, failure, type JsonRpcReply, rpcCode, sortMessage } from './json-rpc.ts';

/** The MCP servers of one session that run in this process, by name. */
export class ToolServers {
  readonly #host: ToolServerHost;
  readonly #connections = new Map<string, ToolConnection>();
  /** Names without a server, of which it has warned. */
  readonly #unknown = new WarnedOnce();

  /** Does not create or connect a server before `open()` or the CLI's first message. */
  constructor(servers: Readonly<Record<string, SdkMcpServer>>, host: ToolServerHost) {
    this.#host = host;
    for (const [name, server] of Object.entries(servers)) this.add(name, server);
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  /** Adds a server, in the place of one that has the name; it is connected by the CLI's first message. */
  add(name: string, server: SdkMcpServer): void {
    void this.remove(name);
    this.#unknown.forget(name);
    this.#connections.set(name, new ToolConnection(name, server, this.#host));
  }

  /** Removes a server and closes it; never rejects. */
  async remove(name: string): Promise<void> {
    const connection = this.#connections.get(name);
    this.#connections.delete(name);
    await connection?.stop();
  }

  /** Creates and connects all servers. @throws ToolServerBusyError, ToolServerStartError, McpLibraryMissingError */
  async open(): Promise<void> {
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.open()));
  }

  /**
   * Delivers a message of the CLI to a server, and resolves with the JSON-RPC reply that goes back as `mcp_response`: a
   * notification is acknowledged, a failure is an error reply. Never rejects, and the reply can be written as JSON.
   * `signal` withdraws the message.
   */
  async handle(server: string, message: unknown, signal?: AbortSignal): Promise<JsonRpcReply> {
    const sorted = sortMessage(message);
    if (sorted.kind === 'malformed') {
      const what = `The CLI sent the MCP server ${JSON.stringify(server)} something that is not a JSON-RPC message.`;
      this.#host.warn(warning('tool-message-malformed', what, { server }));
      return failure(sorted.id, rpcCode.invalidRequest, 'Not a JSON-RPC message.');
    }
    const connection = this.#connections.get(server);
    const name = shortName(server);
    if (connection === undefined && this.#unknown.isNew(name)) {
      const what = `The CLI sent a message to the MCP server ${JSON.stringify(name)}, which this session does not have.`;
      this.#host.warn(warning('tool-server-unknown', what, { server: name }));
    }
    if (sorted.kind === 'request') {
      const unknown = failure(sorted.message.id, rpcCode.methodNotFound, `There is no MCP server ${server} here.`);
      return connection?.ask(sorted.message, signal) ?? unknown;
    }
    connection?.tell(sorted.message);
    return acknowledgement;
  }

  /** Replies to all open requests with an error, at once, and closes the servers; never rejects. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.stop()));
  }
}
