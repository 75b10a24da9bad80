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

/** Marks a server object that is in use. The mark is on the object, so that two copies of this package both see it. */
const HELD = Symbol.for('coxswain.mcp.held');

export interface Link {
  /** Delivers a message; may throw what the server throws. */
  deliver(message: JsonRpcMessage): void;
  /** Closes the connection within `ms`, even if the server does not respond; rejects if closing failed. */
  close(ms: number): Promise<void>;
}

/** Receives the messages of a server and its end. */
export interface LinkEnds extends ToolFailures {
  /** Takes a message of the server; may throw if it cannot be sent. */
  received(message: unknown): void;
  /** A handler threw outside of the MCP library, which would have reported the error to the CLI. */
  crashed(error: unknown): void;
  closed(): void;
}

/** Connects a server; a server object is claimed before the first await. @throws ToolServerBusyError, and what the server throws */
export async function connectTo(name: string, source: SdkMcpServer, ends: LinkEnds): Promise<Link> {
  const created = isFactory(source) ? await source.create(ends) : source;
  const server = typeof created === 'function' ? serverOf(created, ends) : created;
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
        const closing = Promise.resolve(server.close?.()).then(() => true);
        if (!(await within(ms || Number.POSITIVE_INFINITY, closing)))
          throw new Error(`close() took longer than ${ms} ms`);
      } finally {
        end();
      }
    },
  };
}

/** A server that passes its messages to a bare function. */
function serverOf(handler: RawToolHandler, { crashed }: LinkEnds): ConnectableServer {
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
      if (sorted.kind !== 'reply') throw new TypeError(`the handler returned no valid reply to ${method}`);
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
        // A handler cannot send requests, so no reply is meant for it.
        if (sorted.kind === 'request' || sorted.kind === 'notification') void run(sorted.message, transport);
      };
      transport.onclose = () => {
        for (const controller of running.values()) controller.abort(new Error('The session is over.'));
      };
    },
  };
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
