import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/** The id of a JSON-RPC request. 0 is valid: compare with `undefined`, do not test for truthiness. */
export type JsonRpcId = string | number;

/** A JSON-RPC request. */
export interface JsonRpcRequest extends JsonRpcNotification {
  readonly id: JsonRpcId;
}

/** A JSON-RPC message without a reply. */
export interface JsonRpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

/** Why a JSON-RPC request failed. */
export type JsonRpcError = {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
};

/** The reply to a JSON-RPC request; the id is null when the id of the request could not be read. */
export type JsonRpcReply =
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId | null; readonly result: object }
  | { readonly jsonrpc: '2.0'; readonly id: JsonRpcId | null; readonly error: JsonRpcError };

export type JsonRpcMessage = JsonRpcRequest | JsonRpcNotification | JsonRpcReply;

export type SortedMessage =
  | { readonly kind: 'request'; readonly message: JsonRpcRequest }
  | { readonly kind: 'notification'; readonly message: JsonRpcNotification }
  | { readonly kind: 'reply'; readonly message: JsonRpcReply }
  | { readonly kind: 'malformed'; readonly id: JsonRpcId | null };

/** The error codes of the SDK's own replies. */
export const rpcCode = {
  invalidRequest: -32600,
  methodNotFound: -32601,
  internal: -32603,
  /** MCP's "connection closed". */
  closed: -32000,
  /** MCP's "request timed out". */
  timeout: -32001,
  /** The code of the Language Server Protocol; MCP has none. */
  cancelled: -32800,
} as const;

/** Acknowledges a notification: the control request that carried it expects a reply of this shape. */
export const acknowledgement: JsonRpcReply = Object.freeze({ jsonrpc: '2.0', id: 0, result: Object.freeze({}) });

export function failure(id: JsonRpcId | null, code: number, message: string): JsonRpcReply {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

export function sortMessage(value: unknown): SortedMessage {
  const { jsonrpc, id: given, method, params, result, error, ...rest } = isJsonObject(value) ? value : {};
  const id = isId(given) ? given : null;
  if (jsonrpc === '2.0' && typeof method === 'string' && (params === undefined || isJsonObject(params))) {
    const message = { ...rest, jsonrpc, method, ...(params === undefined ? {} : { params }) } as const;
    if (given === undefined) return { kind: 'notification', message };
    if (id !== null) return { kind: 'request', message: { ...message, id } };
  } else if (jsonrpc === '2.0' && method === undefined) {
    if (isJsonObject(result) && error === undefined) return { kind: 'reply', message: { jsonrpc, id, result } };
    if (isError(error)) return { kind: 'reply', message: { jsonrpc, id, error } };
  }
  return { kind: 'malformed', id };
}

function isId(value: unknown): value is JsonRpcId {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function isError(value: unknown): value is JsonRpcError {
  return isJsonObject(value) && typeof value.code === 'number' && typeof value.message === 'string';
}

/** What the model reads about an exception: the exception itself may hold paths, queries or secrets. */
export const TOOL_FAILED = 'The tool failed. Its program has logged the reason.';
