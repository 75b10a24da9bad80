import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

/** A request of the CLI that can be answered. */
export interface CliRequest {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: JsonObject & { readonly subtype: string };
}

/** What any other frame means to a session. */
export type Routed =
  | { readonly kind: 'message' }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'response'; readonly id: string | undefined; readonly answer: ControlAnswer }
  | { readonly kind: 'bad-request'; readonly id: string | undefined; readonly missing: string }
  | { readonly kind: 'cancel'; readonly id: string | undefined };

/** The CLI's answer to a control request. Success may come without a body. */
export type ControlAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly error: string; readonly errorCode: string | undefined };

const MESSAGE: Routed = { kind: 'message' };
const IGNORE: Routed = { kind: 'ignore' };

/** The frame as a request, if it is one that can be answered. */
export function requestIn(frame: object): CliRequest | undefined {
  // Of any frame; each field is checked before it is used.
  const { type, request_id, request } = frame as Record<keyof CliRequest, unknown>;
  if (type !== 'control_request' || typeof request_id !== 'string') return undefined;
  if (!isJsonObject(request) || typeof request.subtype !== 'string') return undefined;
  return frame as CliRequest;
}

/** Distinguishes control frames from messages. Requests that can be answered are handled before. */
export function route(frame: Message): Routed {
  const type: string = frame.type;
  switch (type) {
    case 'control_request':
      return badRequest(frame);
    case 'control_response':
      return routeResponse(frame);
    case 'control_cancel_request':
      return { kind: 'cancel', id: text('request_id' in frame ? frame.request_id : undefined) };
    case 'keep_alive':
      return IGNORE;
    default:
      return MESSAGE;
  }
}

function badRequest(frame: object): Routed {
  const id = 'request_id' in frame ? frame.request_id : undefined;
  if (typeof id !== 'string') return { kind: 'bad-request', id: undefined, missing: 'request_id' };
  const hasRequest = 'request' in frame && isJsonObject(frame.request);
  return { kind: 'bad-request', id, missing: hasRequest ? 'request.subtype' : 'request' };
}

function routeResponse(frame: object): Routed {
  const response = 'response' in frame && isJsonObject(frame.response) ? frame.response : {};
  const id = text(response.request_id) ?? text('request_id' in frame ? frame.request_id : undefined);
  if (response.subtype !== 'error') return { kind: 'response', id, answer: { ok: true, body: response.response } };
  return {
    kind: 'response',
    id,
    answer: { ok: false, error: text(response.error) ?? '', errorCode: text(response.error_code) },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
