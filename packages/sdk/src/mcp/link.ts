import { ToolServerBusyError } from '../errors/tool.ts';
import { reasonOf } from '../options/checks.ts';
import {
  type ConnectableServer,
  isConnectable,
  isFactory,
  type McpTransportLike,
  type RawToolHandler,
  type SdkMcpServer,
} from '../options/sdk-server.ts';
import { failure, type JsonRpcId, type JsonRpcMessage, rpcCode, sortMessage } from './json-rpc.ts';

/** Marks a server object that is in use. The mark is on the object, so that two copies of this package both see it. */
const HELD = Symbol.for('coxswain.mcp.held');

/** A connected server. */
export interface Link {
  /** Delivers a message; may throw what the server throws. */
  deliver(message: JsonRpcMessage): void;
  /** Closes the connection within `ms`, even if the server does not respond; rejects if closing failed. */
  close(ms: number): Promise<void>;
}

/** Receives the messages of a server and its end. */
export interface LinkEnds {
  /** Takes a message of the server; may throw if it cannot be sent. */
  received(message: unknown): void;
  /** A handler threw outside of the MCP library, which would have reported the error to the CLI. */
  crashed(error: unknown): void;
  closed(): void;
}

/** Connects a server; a server object is claimed before the first await. @throws ToolServerBusyError, and what the server throws */
export async function connectTo(name: string, source: SdkMcpServer, ends: LinkEnds): Promise<Link> {
  const server = isFactory(source) ? await source.create() : source;
  if (typeof server === 'function') return handlerLink(server, ends);
  if (!isConnectable(server)) throw new TypeError('create() returned no MCP server: it has no connect()');
  return serverLink(name, server, ends);
}

async function serverLink(name: string, server: ConnectableServer, ends: LinkEnds): Promise<Link> {
  const release = claim(name, server);
  let open = true;
  const shut = (): boolean => {
    if (!open) return false;
    open = false;
    release();
    return true;
  };
  const end = (): void => {
    if (!shut()) return;
    ends.closed();
    transport.onclose?.();
  };
  const transport: McpTransportLike = {
    start: async () => {},
    send: async (message) => {
      if (open) ends.received(message);
    },
    close: async () => end(),
  };
  try {
    await server.connect(transport);
  } catch (error) {
    shut();
    throw error;
  }
  return {
    deliver(message) {
      if (open) transport.onmessage?.(message);
    },
    async close(ms) {
      try {
        await within(Promise.resolve(server.close?.()), ms, () => new Error(`close() took longer than ${ms} ms`));
      } finally {
        end();
      }
    },
  };
}

function handlerLink(handler: RawToolHandler, ends: LinkEnds): Link {
  const running = new Map<JsonRpcId, AbortController>();

  async function run(value: JsonRpcMessage): Promise<void> {
    const { kind, message } = { message: undefined, ...sortMessage(value) };
    // A handler cannot send requests, so no reply is meant for it.
    if (kind === 'reply' || message === undefined) return;
    if (kind === 'notification' && message.method === 'notifications/cancelled') cancel(message.params);
    const controller = new AbortController();
    if (kind === 'request') running.set(message.id, controller);
    try {
      const reply = await handler(message, { signal: controller.signal });
      if (kind !== 'request') return;
      const sorted = sortMessage({ ...reply, jsonrpc: '2.0', id: message.id });
      if (sorted.kind !== 'reply') throw new TypeError(`the handler returned no valid reply to ${message.method}`);
      ends.received(sorted.message);
    } catch (error) {
      ends.crashed(error);
      if (kind === 'request') ends.received(failure(message.id, rpcCode.internal, reasonOf(error)));
    } finally {
      if (kind === 'request') running.delete(message.id);
    }
  }

  function cancel(params: Readonly<Record<string, unknown>> | undefined): void {
    for (const [id, controller] of running) if (id === params?.requestId) controller.abort(params.reason);
  }

  return {
    deliver: (message) => void run(message),
    async close() {
      for (const controller of running.values()) controller.abort(new Error('The session is over.'));
      running.clear();
      ends.closed();
    },
  };
}

/** Waits for a promise, at most `ms`; 0 is no limit. */
export function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  if (ms <= 0) return promise;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), ms);
    void promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Claims a server object for one session; returns the function that releases it. @throws ToolServerBusyError */
function claim(name: string, server: object): () => void {
  if (Reflect.get(server, HELD) === true || isConnected(server)) throw new ToolServerBusyError(name);
  // A frozen object cannot be marked; such a server has to refuse a second connect().
  Reflect.defineProperty(server, HELD, { value: true, configurable: true });
  return () => void Reflect.deleteProperty(server, HELD);
}

/** Whether the caller has connected the server: `McpServer` has a method for it, the low-level `Server` a transport. */
function isConnected(server: object): boolean {
  const ask: unknown = Reflect.get(server, 'isConnected');
  if (typeof ask === 'function') return ask.call(server) === true;
  const transport: unknown = Reflect.get(server, 'transport');
  return typeof transport === 'object' && transport !== null && 'send' in transport;
}
