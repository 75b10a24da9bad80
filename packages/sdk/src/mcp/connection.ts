import type { CallbackEvent, CallbackHead, EventSink } from '../callbacks/callback-request.ts';
import { isCoxswainError } from '../errors/any-error.ts';
import { reasonOf } from '../errors/base.ts';
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
import { connectTo, type Link } from './server-link.ts';

/** The ways in which a request ends without a reply of the server, and the codes of the error replies. */
const endCodes = {
  error: rpcCode.internal,
  cancelled: rpcCode.cancelled,
  timeout: rpcCode.timeout,
  stopped: rpcCode.closed,
};

/** Maximum number of notifications and replies that wait for the connection; further ones are dropped. */
const MAX_QUEUED = 1_000;

type FailedEnd = keyof typeof endCodes;

/** An unanswered request of the CLI to a server. */
interface OpenRequest {
  /** The id assigned by the CLI. */
  readonly id: JsonRpcId;
  finish(reply: JsonRpcReply, end: FailedEnd | 'ok'): void;
}

/**
 * One server and the CLI's open requests to it. Every request gets a new id for the server: a CLI that repeats its handshake
 * has two clients on one connection, whose ids collide.
 */
export class ToolConnection {
  readonly #name: string;
  readonly #source: SdkMcpServer;
  readonly #host: ToolServerHost;
  readonly #requests = new Map<JsonRpcId, OpenRequest>();
  #connecting: Promise<Link> | undefined;
  #link: Link | undefined;
  /** The reason of the disconnection, after a connection failed or closed. */
  #down: string | undefined;
  #stopped = false;
  /** Number of messages that wait for the connection. */
  #queued = 0;
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

  /** Sends a request. Resolves to the server's reply or to an error reply; never rejects. */
  request(message: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcReply> {
    // A new handshake of the CLI reconnects a disconnected server.
    if (message.method === 'initialize' && this.#down !== undefined) this.#connecting = this.#down = undefined;
    const refusal = this.#stopped ? 'The session has ended.' : signal?.aborted ? 'Withdrawn.' : this.#down;
    if (refusal !== undefined) return Promise.resolve(failure(message.id, rpcCode.closed, refusal));

    const id = this.#nextId++;
    const reply = this.#open(id, message, signal);
    this.#connected().then(
      (link) => this.#requests.has(id) && this.#deliver(link, { ...message, id }),
      (error: unknown) => this.#fail(id, 'error', reasonOf(error)),
    );
    return reply;
  }

  /** Delivers a notification or a reply. Does nothing if the server was never connected. */
  notify(message: JsonRpcNotification | JsonRpcReply): void {
    if ('method' in message && message.method === 'notifications/cancelled') {
      const { requestId, reason } = message.params ?? {};
      // If two clients use the same id, the newer one is meant: the older one has no open requests besides the handshake.
      const id = [...this.#requests].findLast((request) => request[1].id === requestId)?.[0];
      const why = typeof reason === 'string' ? reason : 'The request was cancelled.';
      if (id !== undefined) this.#cancel(id, 'cancelled', why);
      return;
    }
    if (this.#connecting === undefined || this.#queued >= MAX_QUEUED) return;
    this.#queued += 1;
    this.#connecting
      .then(
        (link) => this.#deliver(link, message),
        () => {},
      )
      .finally(() => {
        this.#queued -= 1;
      });
  }

  /** Immediately replies to open requests with an error, and closes the connection. Never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#failAll('stopped', 'The session has ended.');
    if (this.#link) return this.#close(this.#link);
    // A connecting server is closed once it is connected, but stop() waits at most toolCloseMs for that.
    const ms = this.#host.limits.toolCloseMs || Number.POSITIVE_INFINITY;
    await within<unknown>(ms, this.#connecting ?? Promise.resolve()).catch(() => {});
  }

  /** Registers a request until it ends: by a reply, a failure, the timeout or the abort of `signal`. */
  #open(id: number, message: JsonRpcRequest, signal: AbortSignal | undefined): Promise<JsonRpcReply> {
    const { limits, report } = this.#host;
    const call = message.method === 'tools/call' ? this.#headOf(message, id) : undefined;
    const ms = call ? limits.toolCallTimeoutMs : limits.toolRequestTimeoutMs;
    const startedAt = performance.now();
    const late = (): void => this.#cancel(id, 'timeout', `no reply to ${call?.tool ?? message.method} within ${ms} ms`);
    const withdraw = (): void => this.#cancel(id, 'cancelled', 'The request was withdrawn.');
    // The timer does not keep the process alive: only the CLI waits for the reply.
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

  /** Handles a message of the server. */
  #receive(value: unknown): void {
    const sorted = sortMessage(value);
    if (sorted.kind === 'malformed') {
      this.#warn('tool-message-malformed', 'sent something that is not a JSON-RPC message');
      if (sorted.id !== null) this.#fail(sorted.id, 'error', 'The server sent an invalid reply.');
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
      // A server handles the failure of its own request, but not that of a notification.
      if (kind === 'request') throw error;
      this.#warnOf(error, `could not send ${message.method}`);
    }
  }

  /** Passes on a reply with the CLI's id. Ignores a late reply, after a cancellation, a timeout or the end. */
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

  /** Cancels the request at the server, and replies with an error instead. */
  #cancel(id: JsonRpcId, end: FailedEnd, reason: string): void {
    if (end === 'timeout') this.#warn('tool-server-timeout', `took too long: ${reason}`);
    this.#fail(id, end, reason);
    const params = { requestId: id, reason };
    if (this.#link) this.#deliver(this.#link, { jsonrpc: '2.0', method: 'notifications/cancelled', params });
  }

  #wentDown(): void {
    this.#link = undefined;
    this.#down = `The MCP server ${JSON.stringify(this.#name)} closed its connection.`;
    if (!this.#stopped) this.#warn('tool-server-failed', 'closed its connection');
    this.#failAll('error', this.#down, rpcCode.closed);
  }

  #failAll(end: FailedEnd, reason: string, code?: number): void {
    for (const id of [...this.#requests.keys()]) this.#fail(id, end, reason, code);
  }

  /** Replies with an error instead of the server. */
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

  /** Identifies a tool call by its tool use, or by the server's name and a number if the CLI does not send the tool use id. */
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

/** Why a reply cannot be written as JSON. A handler may return anything, and the CLI must still get a reply. */
function unwritable(reply: JsonRpcReply): string | undefined {
  try {
    JSON.stringify(reply);
    return undefined;
  } catch (error) {
    // The other lines of the message draw the circular reference.
    return `cannot be written as JSON: ${reasonOf(error).split('\n')[0]}`;
  }
}

/** The session, as its tool servers need it. */
export interface ToolServerHost {
  /** Sends a server's message to the CLI, as the control request `mcp_message`. May throw. */
  send(server: string, message: object): void;
  warn(warning: Warning): void;
  /** The async context for the code of a server. */
  context(): InContext;
  /** Receives an event for the start and the end of each tool call. */
  readonly report: EventSink<CallbackEvent>;
  /** 0 means no limit. The CLI itself gives up after 30 s on every request except a tool call. */
  readonly limits: Pick<Limits, 'toolRequestTimeoutMs' | 'toolCallTimeoutMs' | 'toolCloseMs'>;
}
