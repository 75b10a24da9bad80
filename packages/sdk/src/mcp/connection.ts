import type { CallbackEvent, CallbackHead, EventSink } from '../callbacks/callback-request.ts';
import { isCoxswainError, reasonOf } from '../errors/base.ts';
import { ToolServerStartError } from '../errors/tool.ts';
import type { Limits } from '../limits.ts';
import type { SdkMcpServer } from '../options/sdk-server.ts';
import { toolNameOf } from '../options/server-names.ts';
import type { InContext } from '../timing/caller.ts';
import { within } from '../timing/timers.ts';
import { type Warning, type WarningCode, warning } from '../warnings/warning.ts';
import { toolUseIdOf } from './define-tool.ts';
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
import { connectTo, type Link } from './link.ts';

/** How a request ends without a reply of the server, and the code of the error reply. */
const endCodes = {
  error: rpcCode.internal,
  cancelled: rpcCode.cancelled,
  timeout: rpcCode.timeout,
  stopped: rpcCode.closed,
};

/** How many messages without a reply wait for a server that is being connected; further ones are dropped. */
const MOST_UNTOLD = 1_000;

type FailedEnd = keyof typeof endCodes;

/** A request of the CLI that a server has not replied to yet. */
interface OpenRequest {
  /** The id that the CLI gave it. */
  readonly id: JsonRpcId;
  finish(reply: JsonRpcReply, end: FailedEnd | 'ok'): void;
}

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
  /** How many messages wait for the connection. */
  #untold = 0;
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
    const link = await within(ms || Number.POSITIVE_INFINITY, this.#connected());
    if (link === undefined) throw new ToolServerStartError(this.#name, `it was not connected within ${ms} ms`);
  }

  /** Resolves with the server's reply to a request, or with an error reply; never rejects. */
  ask(message: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcReply> {
    // A new handshake of the CLI reconnects a server that went down.
    if (message.method === 'initialize' && this.#down !== undefined) this.#connecting = this.#down = undefined;
    const refusal = this.#stopped ? 'The session is over.' : signal?.aborted ? 'Withdrawn.' : this.#down;
    if (refusal !== undefined) return Promise.resolve(failure(message.id, rpcCode.closed, refusal));

    const id = this.#nextId++;
    const reply = this.#open(id, message, signal);
    this.#connected().then(
      (link) => this.#requests.has(id) && this.#deliver(link, { ...message, id }),
      (error: unknown) => this.#fail(id, 'error', reasonOf(error)),
    );
    return reply;
  }

  /** Delivers a message without a reply; does nothing if the server was never connected. */
  tell(message: JsonRpcNotification | JsonRpcReply): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId, reason } = message.params ?? {};
      // Of two clients with the same ids the older one has no open requests: only its handshake repeats.
      const id = [...this.#requests].findLast((request) => request[1].id === requestId)?.[0];
      const why = typeof reason === 'string' ? reason : 'The request was cancelled.';
      if (id !== undefined) this.#cancel(id, 'cancelled', why);
      return;
    }
    if (this.#connecting === undefined || this.#untold >= MOST_UNTOLD) return;
    this.#untold += 1;
    this.#connecting
      .then(
        (link) => this.#deliver(link, message),
        () => {},
      )
      .finally(() => {
        this.#untold -= 1;
      });
  }

  /** Replies to open requests with an error, at once, and closes the connection; never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#failAll('stopped', 'The session is over.');
    if (this.#link) return this.#close(this.#link);
    // A server that is still connecting is closed once it is connected, but stop() does not wait longer than toolCloseMs.
    const ms = this.#host.limits.toolCloseMs || Number.POSITIVE_INFINITY;
    await within<unknown>(ms, this.#connecting ?? Promise.resolve()).catch(() => {});
  }

  /** Registers a request until its first end: a reply, a failure, the timeout or the abort of `signal`. */
  #open(id: number, message: JsonRpcRequest, signal: AbortSignal | undefined): Promise<JsonRpcReply> {
    const { limits, report } = this.#host;
    const call = message.method === 'tools/call' ? this.#headOf(message, id) : undefined;
    const ms = call ? limits.toolCallTimeoutMs : limits.toolRequestTimeoutMs;
    const startedAt = performance.now();
    const late = (): void => this.#cancel(id, 'timeout', `no reply to ${call?.tool ?? message.method} within ${ms} ms`);
    const withdraw = (): void => this.#cancel(id, 'cancelled', 'The request was withdrawn.');
    // Does not keep the process alive: only the CLI waits for the reply.
    const timer = ms > 0 ? setTimeout(late, ms).unref() : undefined;
    signal?.addEventListener('abort', withdraw, { once: true });
    if (call && !report.skip()) report.event({ type: 'callback-started', ...call });
    return new Promise((resolve) => {
      const finish: OpenRequest['finish'] = (reply, decision) => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', withdraw);
        resolve(reply);
        if (!call || report.skip()) return;
        const took = Math.round(performance.now() - startedAt);
        report.event({ type: 'callback-ended', ...call, decision, ms: took });
      };
      this.#requests.set(id, { id: message.id, finish });
    });
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
          failed: (tool, error) => this.#warn('tool-failed', `failed in its tool ${tool}: ${reasonOf(error)}`),
          closed: () => this.#wentDown(),
        }),
      );
      if (this.#stopped) await this.#close(link);
      else this.#link = link;
      return link;
    } catch (error) {
      const known = isCoxswainError(error) ? error : new ToolServerStartError(this.#name, reasonOf(error), error);
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
      if ('method' in message && 'id' in message) this.#fail(message.id, 'error', reasonOf(error));
    }
  }

  /** A message of the server. */
  #receive(value: unknown): void {
    const sorted = sortMessage(value);
    if (sorted.kind === 'malformed') {
      this.#warn('tool-message-malformed', 'sent something that is not a JSON-RPC message');
      if (sorted.id !== null) this.#fail(sorted.id, 'error', 'The server sent no valid reply.');
      return;
    }
    const { kind, message } = sorted;
    if (kind === 'reply') {
      this.#answer(message);
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

  /** Passes a reply on under the CLI's id. A late one, after a cancellation, a timeout or the end, is ignored. */
  #answer(reply: JsonRpcReply): void {
    const request = reply.id === null ? undefined : this.#take(reply.id);
    if (request === undefined) return;
    const { id } = request;
    const problem = unwritable(reply);
    if (problem !== undefined) {
      this.#warn('tool-message-malformed', `sent a reply that ${problem}`);
      request.finish(failure(id, rpcCode.internal, `The reply ${problem}.`), 'error');
      return;
    }
    const failed = 'error' in reply || ('isError' in reply.result && reply.result.isError === true);
    request.finish({ ...reply, id }, failed ? 'error' : 'ok');
  }

  /** Cancels the request at the server, and replies with an error in its place. */
  #cancel(id: JsonRpcId, end: FailedEnd, reason: string): void {
    if (end === 'timeout') this.#warn('tool-server-timeout', `took too long: ${reason}`);
    this.#fail(id, end, reason);
    const params = { requestId: id, reason };
    if (this.#link) this.#deliver(this.#link, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  #wentDown(): void {
    this.#link = undefined;
    this.#down = `The MCP server ${JSON.stringify(this.#name)} has closed its connection.`;
    if (!this.#stopped) this.#warn('tool-server-failed', 'has closed its connection');
    this.#failAll('error', this.#down, rpcCode.closed);
  }

  #failAll(end: FailedEnd, reason: string, code?: number): void {
    for (const id of [...this.#requests.keys()]) this.#fail(id, end, reason, code);
  }

  /** Replies with an error in place of the server. */
  #fail(id: JsonRpcId, end: FailedEnd, reason: string, code: number = endCodes[end]): void {
    const request = this.#take(id);
    request?.finish(failure(request.id, code, reason), end);
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

  /** Identifies a tool call by its tool use; for a CLI that does not send that, by the server's name and a number. */
  #headOf({ params }: JsonRpcRequest, id: number): CallbackHead {
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

/** A handler may return anything; a reply that cannot be written would leave the CLI without one. */
function unwritable(reply: JsonRpcReply): string | undefined {
  try {
    JSON.stringify(reply);
    return undefined;
  } catch (error) {
    // The other lines of the message draw the circular reference.
    return `cannot be written as JSON: ${reasonOf(error).split('\n')[0]}`;
  }
}

/** What the servers need from their session. */
export interface ToolServerHost {
  /** Sends a message of a server to the CLI, as the control request `mcp_message`. May throw. */
  send(server: string, message: object): void;
  warn(warning: Warning): void;
  /** The async context in which the code of a server runs. */
  context(): InContext;
  /** Receives an event for the start and the end of each tool call. */
  readonly report: EventSink<CallbackEvent>;
  /** 0 is no limit. The CLI itself gives up after 30 s on any request but a tool call. */
  readonly limits: Pick<Limits, 'toolRequestTimeoutMs' | 'toolCallTimeoutMs' | 'toolCloseMs'>;
}
