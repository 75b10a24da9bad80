import { ToolServerBusyError } from '../errors/tool.ts';
import {
  type ConnectableServer,
  isConnectable,
  isFactory,
  type McpTransportLike,
  type RawToolHandler,
  type SdkMcpServer,
  type ToolFailures,
} from '../options/sdk-server.ts';
import { within } from '../timing/timers.ts';
import {
  failure,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  rpcCode,
  sortMessage,
  TOOL_FAILED,
} from './json-rpc.ts';

/** Marks a server object that is in use. The mark is on the object, so that two copies of this package share it. */
const HELD = Symbol.for('coxswain.mcp.held');

export interface Link {
  /** Delivers a message. @throws the errors of the server */
  deliver(message: JsonRpcMessage): void;
  /** Closes the connection within `ms`, even if the server does not respond. Rejects if closing failed. */
  close(ms: number): Promise<void>;
}

/** Receives the messages of a server and the end of its connection. */
export interface LinkListener extends ToolFailures {
  /** Handles a message of the server. Throws if it cannot be sent. */
  received(message: unknown): void;
  /** Called if a handler throws outside of the MCP library, which would have reported the error to the CLI. */
  crashed(error: unknown): void;
  closed(): void;
}

/** Connects a server. Claims a server object before the first await. @throws ToolServerBusyError, and the errors of the server */
export async function connectTo(name: string, source: SdkMcpServer, listener: LinkListener): Promise<Link> {
  const created = isFactory(source) ? await source.create(listener) : source;
  const server = typeof created === 'function' ? serverOf(created, listener) : created;
  if (!isConnectable(server)) throw new TypeError('create() returned no MCP server: it has no connect()');
  const release = claim(name, server);
  let open = true;
  const shut = (): void => {
    if (open) release();
    open = false;
  };
  const end = (): void => {
    if (!open) return;
    shut();
    listener.closed();
    transport.onclose?.();
  };
  const transport: McpTransportLike = {
    start: async () => {},
    send: async (message) => {
      if (open) listener.received(message);
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
        const closing = Promise.resolve(server.close?.()).then(() => true);
        if (!(await within(ms || Number.POSITIVE_INFINITY, closing)))
          throw new Error(`close() took longer than ${ms} ms`);
      } finally {
        end();
      }
    },
  };
}

/** Wraps a handler function as a server. */
function serverOf(handler: RawToolHandler, { crashed }: LinkListener): ConnectableServer {
  const running = new Map<unknown, AbortController>();

  async function run(message: JsonRpcRequest | JsonRpcNotification, { send }: McpTransportLike): Promise<void> {
    const { method, params } = message;
    const id = 'id' in message ? message.id : undefined;
    if (method === 'notifications/cancelled') running.get(params?.requestId)?.abort(params?.reason);
    const controller = new AbortController();
    if (id !== undefined) running.set(id, controller);
    try {
      const reply = await handler(message, { signal: controller.signal });
      if (id === undefined) return;
      const sorted = sortMessage({ ...reply, jsonrpc: '2.0', id });
      if (sorted.kind !== 'reply') throw new TypeError(`the handler returned an invalid reply to ${method}`);
      await send(sorted.message);
    } catch (error) {
      crashed(error);
      if (id !== undefined) await send(failure(id, rpcCode.internal, TOOL_FAILED));
    } finally {
      running.delete(id);
    }
  }

  return {
    async connect(transport) {
      transport.onmessage = (value) => {
        const sorted = sortMessage(value);
        // A handler cannot send requests, so it expects no replies.
        if (sorted.kind === 'request' || sorted.kind === 'notification') void run(sorted.message, transport);
      };
      transport.onclose = () => {
        for (const controller of running.values()) controller.abort(new Error('The session has ended.'));
      };
    },
  };
}

/** Claims a server object for one session; returns the function that releases it. @throws ToolServerBusyError */
function claim(name: string, server: object): () => void {
  if (Reflect.get(server, HELD) === true || isConnected(server)) throw new ToolServerBusyError(name);
  // A frozen object cannot be marked; such a server must refuse a second connect() itself.
  Reflect.defineProperty(server, HELD, { value: true, configurable: true });
  return () => void Reflect.deleteProperty(server, HELD);
}

/** True if the caller has connected the server: `McpServer` has a method for it, the low-level `Server` has a transport. */
function isConnected(server: object): boolean {
  const ask: unknown = Reflect.get(server, 'isConnected');
  if (typeof ask === 'function') return ask.call(server) === true;
  const transport: unknown = Reflect.get(server, 'transport');
  return typeof transport === 'object' && transport !== null && 'send' in transport;
}
