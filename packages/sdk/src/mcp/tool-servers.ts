import type { SdkMcpServer } from '../options/sdk-server.ts';
import { shortName, WarnedOnce } from '../warnings/warned-once.ts';
import { warning } from '../warnings/warning.ts';
import { ToolConnection, type ToolServerHost } from './connection.ts';
import { acknowledgement, failure, type JsonRpcReply, rpcCode, sortMessage } from './json-rpc.ts';

/** The in-process MCP servers of one session, by name. */
export class ToolServers {
  readonly #host: ToolServerHost;
  readonly #connections = new Map<string, ToolConnection>();
  /** Unknown server names already warned about. */
  readonly #unknown = new WarnedOnce();

  /** Does not create or connect a server before `open()` or the CLI's first message. */
  constructor(servers: Readonly<Record<string, SdkMcpServer>>, host: ToolServerHost) {
    this.#host = host;
    for (const [name, server] of Object.entries(servers)) this.add(name, server);
  }

  get names(): readonly string[] {
    return [...this.#connections.keys()];
  }

  /** Adds a server or replaces the one with the same name. The CLI's first message connects it. */
  add(name: string, server: SdkMcpServer): void {
    void this.remove(name);
    this.#unknown.forget(name);
    this.#connections.set(name, new ToolConnection(name, server, this.#host));
  }

  /** Removes and closes a server. Never rejects. */
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
   * Delivers a message of the CLI to a server, and resolves to the JSON-RPC reply, which is sent back as `mcp_response`: an
   * acknowledgement for a notification, an error reply for a failure. Never rejects, and the reply can be written as JSON.
   * Aborting `signal` withdraws the message.
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
      const unknown = failure(sorted.message.id, rpcCode.methodNotFound, `This session has no MCP server ${server}.`);
      return connection?.request(sorted.message, signal) ?? unknown;
    }
    connection?.notify(sorted.message);
    return acknowledgement;
  }

  /** Immediately replies to all open requests with an error, and closes the servers. Never rejects. */
  async stop(): Promise<void> {
    await Promise.all(Array.from(this.#connections.values(), (connection) => connection.stop()));
  }
}
