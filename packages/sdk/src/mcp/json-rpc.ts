/** The id of a JSON-RPC request. 0 is one: compare with `undefined`, never test for truth. */
export type JsonRpcId = string | number;

/** A JSON-RPC request. */
export interface JsonRpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: JsonRpcId;
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** A JSON-RPC message that wants no answer. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** What went wrong with a JSON-RPC request. */
export interface JsonRpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** The answer to a JSON-RPC request; the id is null when the request's could not be read. */
export type JsonRpcReply =
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId | null; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId | null; readonly error: JsonRpcError };

/** Any JSON-RPC message. */
export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcReply;

/** A message and what it is. */
export type SortedMessage =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'reply'; readonly message: JsonRpcReply }
  | { readonly kind: 'malformed'; readonly id: JsonRpcId | null };

/** The error codes the SDK itself answers with. */
export const rpcCode = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  internal: -32603,
  /** MCP's "connection closed". */
  closed: -32000,
  /** MCP's "request timed out". */
  timeout: -32001,
  /** The code language servers use; MCP has none, since nobody reads this answer. */
  cancelled: -32800,
} as const;

/** What a notification is acknowledged with: the control request that brought it wants an answer of this shape. */
export const acknowledgement: JsonRpcReply = Object.freeze({ jsonrpc: '2.0', id: 0, result: Object.freeze({}) });

/** An error answer. */
export function failure(id: JsonRpcId | null, code: number, message: string): JsonRpcReply {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** Says what a message is. */
export function sortMessage(value: unknown): SortedMessage {
  if (!isRecord(value)) return { kind: 'malformed', id: null };
  const { jsonrpc, id, method, params, result, error } = value;
  const readableId = isId(id) ? id : null;
  if (jsonrpc !== '2.0') return { kind: 'malformed', id: readableId };
  if (typeof method === 'string') {
    if (params !== undefined && !isRecord(params)) return { kind: 'malformed', id: readableId };
    const { id: _, params: __, ...rest } = value;
    const message = { ...rest, jsonrpc, method, ...(params === undefined ? {} : { params }) } as const;
    if (id === undefined) return { kind: 'notification', message };
    return isId(id) ? { kind: 'request', message: { ...message, id } } : { kind: 'malformed', id: null };
  }
  if (method === undefined && isRecord(result) && error === undefined) {
    return { kind: 'reply', message: { jsonrpc, id: readableId, result } };
  }
  if (method === undefined && isError(error)) return { kind: 'reply', message: { jsonrpc, id: readableId, error } };
  return { kind: 'malformed', id: readableId };
}

function isId(value: unknown): value is JsonRpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function isError(value: unknown): value is JsonRpcError {
  return isRecord(value) && typeof value.code === 'number' && typeof value.message === 'string';
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
