import { isBranded } from '../errors/base.ts';
import { ToolServerStartError } from '../errors/tool.ts';
import { reasonOf } from '../options/report.ts';
import { type SdkMcpServer, toolNameOf } from '../options/sdk-server.ts';
import { type WarningCode, warning } from '../warnings/warning.ts';
import type { ToolCallHead, ToolServerHost } from './host.ts';
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
import { type GivenUp, OpenRequest } from './open-request.ts';
import { toolUseIdOf } from './tool-use-id.ts';
import { within } from './within.ts';

/**
 * One server and what the CLI has asked of it. Towards the server every request has an id of our own: a CLI that does
 * its handshake twice has two clients on one connection, whose ids repeat.
 */
export class ToolConnection {
  readonly #name: string;
  readonly #source: SdkMcpServer;
  readonly #host: ToolServerHost;
  readonly #requests = new Map<JsonRpcId, OpenRequest>();
  #connecting: Promise<Link> | undefined;
  #link: Link | undefined;
  /** Why there is no link although there has been one, or an attempt. */
  #down: string | undefined;
  #stopped = false;
  /** The next id: not 0, of which MCP servers of version 1 ignore the cancellation. */
  #nextId = 1;

  constructor(name: string, source: SdkMcpServer, host: ToolServerHost) {
    this.#name = name;
    this.#source = source;
    this.#host = host;
  }

  /** Makes and connects the server. @throws ToolServerBusyError, ToolServerStartError, McpLibraryMissingError */
  async open(): Promise<void> {
    const { toolRequestTimeoutMs: ms } = this.#host.limits;
    const late = (): Error => new ToolServerStartError(this.#name, `it was not connected within ${ms} ms`);
    await within(this.#connected(), ms, late);
  }

  /** The server's answer to a request, or an error in its place; never rejects. */
  ask(message: JsonRpcRequest, signal?: AbortSignal): Promise<JsonRpcReply> {
    // The CLI starts over with a new handshake: that is when a server that went down is connected again.
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

  /** Hands on what wants no answer; a server that is not there misses nothing. */
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

  /** Answers what is open, at once, and ends the connection; never rejects. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#failAll({ end: 'stopped', code: rpcCode.closed, reason: 'The session is over.' });
    if (this.#link) return this.#close(this.#link);
    // One that is still being connected is closed as soon as it is; should that take too long, nobody waits for it.
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
      this.#warn('tool-message-malformed', 'sent something that is no JSON-RPC message');
      const reason = 'The server gave no valid answer.';
      if (sorted.id !== null) this.#take(sorted.id)?.fail({ end: 'error', code: rpcCode.internal, reason });
      return;
    }
    const { kind, message } = sorted;
    if (kind === 'reply') {
      // One that nobody waits for any more is late: after a cancel, a timeout or the end.
      const problem = message.id === null ? undefined : this.#take(message.id)?.answer(message);
      if (problem !== undefined) this.#warn('tool-message-malformed', `gave an answer that ${problem}`);
      return;
    }
    try {
      this.#host.send(this.#name, message);
    } catch (error) {
      // The server waits for the answer to a request of its own; nobody catches what a notification throws.
      if (kind === 'request') throw error;
      this.#warnOf(error, `could not send ${message.method}`);
    }
  }

  #cancel({ requestId, reason }: Readonly<Record<string, unknown>>): void {
    // Of two clients with the same ids the older one has had its answers: only its handshake repeats.
    const found = [...this.#requests].findLast(([, { message }]) => message.id === requestId);
    if (found === undefined) return;
    this.#giveUp(found[0], {
      end: 'cancelled',
      code: rpcCode.cancelled,
      reason: typeof reason === 'string' ? reason : 'The request was cancelled.',
    });
  }

  /** Tells the server that nobody waits any more, and answers in its place: it must not answer after that. */
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
