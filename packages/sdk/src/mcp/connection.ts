import { isBranded } from '../errors/base.ts';
import { ToolServerStartError } from '../errors/tool.ts';
import { reasonOf } from '../options/report.ts';
import { type SdkMcpServer, toolNameOf } from '../options/sdk-server.ts';
import { type WarningCode, warning } from '../warnings/warning.ts';
import type { ToolCallHead, ToolServerHost } from './bridge.ts';
import {
  failure,
  type JsonRpcId,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcReply,
  type JsonRpcRequest,
  rpcCode,
  sortMessage,
} from './json-rpc.ts';
import { connectTo, type Link, within } from './link.ts';
import { type GivenUp, OpenRequest } from './open-request.ts';
import { toolUseIdOf } from './tool.ts';

/**
 * One server and the open requests of the CLI to it. Every request gets a new id towards the server: a CLI that does its
 * handshake twice has two clients on one connection, and their ids repeat.
 */
export class ToolConnection {
  readonly #name: string;
  readonly #source: SdkMcpServer;
  readonly #host: ToolServerHost;
  readonly #requests = new Map<JsonRpcId, OpenRequest>();
  #connecting: Promise<Link> | undefined;
  #link: Link | undefined;
  /** Why the server is disconnected, once a connection has failed or closed. */
  #down: string | undefined;
  #stopped = false;
  /** Starts at 1, because servers of the MCP SDK 1 ignore the cancellation of request 0. */
  #nextId = 1;

  constructor(name: string, source: SdkMcpServer, host: ToolServerHost) {
    this.#name = name;
    this.#source = source;
    this.#host = host;
  }

  /** Creates and connects the server. @throws ToolServerBusyError, ToolServerStartError, McpLibraryMissingError */
  async open(): Promise<void> {
    const { toolRequestTimeoutMs: ms } = this.#host.limits;
    const late = (): Error => new ToolServerStartError(this.#name, `it was not connected within ${ms} ms`);
    await within(this.#connected(), ms, late);
  }

  /** Resolves with the server's reply to a request, or with an error reply; never rejects. */
  ask(message: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcReply> {
    // A new handshake of the CLI reconnects a server that went down.
    if (message.method === 'initialize' && this.#down !== undefined) this.#connecting = this.#down = undefined;
    const refusal = this.#stopped ? 'The session is over.' : signal?.aborted ? 'Withdrawn.' : this.#down;
    if (refusal !== undefined) return Promise.resolve(failure(message.id, rpcCode.closed, refusal));

    const { toolCallTimeoutMs, toolRequestTimeoutMs } = this.#host.limits;
    const id = this.#nextId++;
    const call = message.method === 'tools/call' ? this.#headOf(message, id) : undefined;
    const request = new OpenRequest(message, {
      ms: call ? toolCallTimeoutMs : toolRequestTimeoutMs,
      signal,
      giveUp: (why) => this.#giveUp(id, why),
      onEnd: (decision, ms) => call && this.#host.report?.({ type: 'callback-ended', ...call, decision, ms }),
    });
    this.#requests.set(id, request);
    if (call) this.#host.report?.({ type: 'callback-started', ...call });
    this.#connected().then(
      (link) => this.#requests.has(id) && this.#deliver(link, { ...message, id }),
      (error: unknown) => this.#take(id)?.fail({ end: 'error', code: rpcCode.internal, reason: reasonOf(error) }),
    );
    return request.reply;
  }

  /** Delivers a message without a reply; does nothing if the server was never connected. */
  tell(message: JsonRpcNotification | JsonRpcReply): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      this.#cancel(message.params ?? {});
    } else {
      this.#connecting?.then(
        (link) => this.#deliver(link, message),
        () => {},
      );
    }
  }

  /** Replies to open requests with an error, at once, and closes the connection; never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#failAll({ end: 'stopped', code: rpcCode.closed, reason: 'The session is over.' });
    if (this.#link) return this.#close(this.#link);
    // A server that is still connecting is closed once it is connected, but stop() does not wait longer than toolCloseMs.
    const connecting = this.#connecting ?? Promise.resolve();
    await within<unknown>(connecting, this.#host.limits.toolCloseMs, () => new Error()).catch(() => {});
  }

  #connected(): Promise<Link> {
    this.#connecting ??= this.#connect();
    return this.#connecting;
  }

  async #connect(): Promise<Link> {
    try {
      const link = await this.#host.context()(() =>
        connectTo(this.#name, this.#source, {
          received: (message) => this.#receive(message),
          crashed: (error) => this.#warnOf(error, 'failed'),
          closed: () => this.#wentDown(),
        }),
      );
      if (this.#stopped) await this.#close(link);
      else this.#link = link;
      return link;
    } catch (error) {
      const known = isBranded(error) ? error : new ToolServerStartError(this.#name, reasonOf(error), error);
      this.#down = known.message;
      this.#warnOf(error, 'could not be started');
      throw known;
    }
  }

  #deliver(link: Link, message: JsonRpcMessage): void {
    try {
      this.#host.context()(() => link.deliver(message));
    } catch (error) {
      this.#warnOf(error, 'failed');
      if (!('method' in message) || !('id' in message)) return;
      this.#take(message.id)?.fail({ end: 'error', code: rpcCode.internal, reason: reasonOf(error) });
    }
  }

  /** A message of the server. */
  #receive(value: unknown): void {
    const sorted = sortMessage(value);
    if (sorted.kind === 'malformed') {
      this.#warn('tool-message-malformed', 'sent something that is not a JSON-RPC message');
      const reason = 'The server sent no valid reply.';
      if (sorted.id !== null) this.#take(sorted.id)?.fail({ end: 'error', code: rpcCode.internal, reason });
      return;
    }
    const { kind, message } = sorted;
    if (kind === 'reply') {
      // A late reply, after a cancellation, a timeout or the end, is ignored.
      const problem = message.id === null ? undefined : this.#take(message.id)?.answer(message);
      if (problem !== undefined) this.#warn('tool-message-malformed', `sent a reply that ${problem}`);
      return;
    }
    try {
      this.#host.send(this.#name, message);
    } catch (error) {
      // The server handles the error of its own request, but not of a notification.
      if (kind === 'request') throw error;
      this.#warnOf(error, `could not send ${message.method}`);
    }
  }

  #cancel({ requestId, reason }: Readonly<Record<string, unknown>>): void {
    // Of two clients with the same ids the older one has no open requests: only its handshake repeats.
    const found = [...this.#requests].findLast(([, { message }]) => message.id === requestId);
    if (found === undefined) return;
    this.#giveUp(found[0], {
      end: 'cancelled',
      code: rpcCode.cancelled,
      reason: typeof reason === 'string' ? reason : 'The request was cancelled.',
    });
  }

  /** Cancels the request at the server, and replies with an error in its place. */
  #giveUp(id: JsonRpcId, why: GivenUp): void {
    const request = this.#take(id);
    if (request === undefined) return;
    if (why.end === 'timeout') this.#warn('tool-server-timeout', `took too long: ${why.reason}`);
    const params = { requestId: id, reason: why.reason };
    if (this.#link) this.#deliver(this.#link, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
    request.fail(why);
  }

  #wentDown(): void {
    this.#link = undefined;
    this.#down = `The MCP server ${JSON.stringify(this.#name)} has closed its connection.`;
    if (!this.#stopped) this.#warn('tool-server-failed', 'has closed its connection');
    this.#failAll({ end: 'error', code: rpcCode.closed, reason: this.#down });
  }

  #failAll(why: GivenUp): void {
    for (const id of [...this.#requests.keys()]) this.#take(id)?.fail(why);
  }

  #take(id: JsonRpcId): OpenRequest | undefined {
    const request = this.#requests.get(id);
    this.#requests.delete(id);
    return request;
  }

  async #close(link: Link): Promise<void> {
    try {
      await link.close(this.#host.limits.toolCloseMs);
    } catch (error) {
      this.#warnOf(error, 'could not be closed');
    }
  }

  #headOf({ params }: JsonRpcRequest, id: number): ToolCallHead {
    const name = this.#name;
    const tool = toolNameOf(name, typeof params?.name === 'string' ? params.name : '');
    return { kind: 'tool', id: toolUseIdOf(params?._meta) ?? `${name}#${id}`, name, event: null, tool };
  }

  #warnOf(error: unknown, what: string): void {
    this.#warn('tool-server-failed', `${what}: ${reasonOf(error)}`);
  }

  #warn(code: WarningCode, what: string): void {
    const server = this.#name;
    this.#host.warn(warning(code, `The MCP server ${JSON.stringify(server)} ${what}.`, { server }));
  }
}
