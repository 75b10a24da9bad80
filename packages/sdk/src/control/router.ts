import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

/** What an incoming frame is to a session. */
export type Routed =
  | { readonly kind: 'message' }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'response'; readonly id: string | undefined; readonly answer: ControlAnswer }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string; readonly request: JsonObject }
  | { readonly kind: 'bad-request'; readonly id: string | undefined; readonly missing: string }
  | { readonly kind: 'cancel'; readonly id: string | undefined };

/** The CLI's answer to a control request. Success may come without a body. */
export type ControlAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly error: string; readonly errorCode: string | undefined };

const MESSAGE: Routed = { kind: 'message' };
const IGNORE: Routed = { kind: 'ignore' };

/** Tells control frames from messages. */
export function route(frame: Message): Routed {
  const type: string = frame.type;
  switch (type) {
    case 'control_request':
      return routeRequest(frame);
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

function routeRequest(frame: object): Routed {
  const id = 'request_id' in frame ? frame.request_id : undefined;
  const request = 'request' in frame ? frame.request : undefined;
  if (typeof id !== 'string') return { kind: 'bad-request', id: undefined, missing: 'request_id' };
  if (!isJsonObject(request)) return { kind: 'bad-request', id, missing: 'request' };
  const { subtype } = request;
  if (typeof subtype !== 'string') return { kind: 'bad-request', id, missing: 'request.subtype' };
  return { kind: 'request', id, subtype, request };
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
