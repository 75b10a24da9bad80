import { reasonOf } from '../options/report.ts';
import {
  type ConnectableServer,
  isConnectable,
  isFactory,
  type McpTransportLike,
  type RawToolHandler,
  type SdkMcpServer,
} from '../options/sdk-server.ts';
import { claim } from './claim.ts';
import { failure, type JsonRpcId, type JsonRpcMessage, rpcCode, sortMessage } from './json-rpc.ts';
import { within } from './within.ts';

/** A server that is connected. */
export interface Link {
  /** Hands a message over; may throw what the server throws. */
  deliver(message: JsonRpcMessage): void;
  /** Ends the connection within `ms`, whatever the server does; rejects when that went badly. */
  close(ms: number): Promise<void>;
}

/** Where a server's own messages and its end are told. */
export interface LinkEnds {
  /** Takes a message of the server; may throw when it cannot be passed on. */
  received(message: unknown): void;
  /** A handler crashed outside of the library that would have reported it to the CLI. */
  crashed(error: unknown): void;
  closed(): void;
}

/** Connects a server; a bare one is taken before the first await. @throws ToolServerBusyError, and what the server throws */
export async function connectTo(name: string, source: SdkMcpServer, ends: LinkEnds): Promise<Link> {
  const server = isFactory(source) ? await source.create() : source;
  if (typeof server === 'function') return handlerLink(server, ends);
  if (!isConnectable(server)) throw new TypeError('create() gave no MCP server: there is no connect() on it');
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
    // It cannot ask the CLI anything, so no reply is meant for it.
    if (kind === 'reply' || message === undefined) return;
    if (kind === 'notification' && message.method === 'notifications/cancelled') cancel(message.params);
    const controller = new AbortController();
    if (kind === 'request') running.set(message.id, controller);
    try {
      const reply = await handler(message, { signal: controller.signal });
      if (kind !== 'request') return;
      const sorted = sortMessage({ ...reply, jsonrpc: '2.0', id: message.id });
      if (sorted.kind !== 'reply') throw new TypeError(`the handler gave no valid answer to ${message.method}`);
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
