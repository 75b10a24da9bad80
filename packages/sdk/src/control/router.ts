import type { Message } from '../wire/messages.ts';

/** What an incoming frame is to a session. */
export type Routed =
  | { readonly kind: 'message' }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'response'; readonly id: string | undefined; readonly answer: ControlAnswer }
  | { readonly kind: 'request'; readonly id: string; readonly subtype: string; readonly request: object }
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
      return { kind: 'cancel', id: text(frame, 'request_id') };
    case 'keep_alive':
      return IGNORE;
    default:
      return MESSAGE;
  }
}

function routeRequest(frame: object): Routed {
  const id = text(frame, 'request_id');
  const request = field(frame, 'request');
  if (id === undefined) return { kind: 'bad-request', id, missing: 'request_id' };
  if (typeof request !== 'object' || request === null) return { kind: 'bad-request', id, missing: 'request' };
  const subtype = text(request, 'subtype');
  if (subtype === undefined) return { kind: 'bad-request', id, missing: 'request.subtype' };
  return { kind: 'request', id, subtype, request };
}

function routeResponse(frame: object): Routed {
  const response = field(frame, 'response');
  const body = typeof response === 'object' && response !== null ? response : {};
  const id = text(body, 'request_id') ?? text(frame, 'request_id');
  if (field(body, 'subtype') !== 'error') {
    return { kind: 'response', id, answer: { ok: true, body: field(body, 'response') } };
  }
  return {
    kind: 'response',
    id,
    answer: { ok: false, error: text(body, 'error') ?? '', errorCode: text(body, 'error_code') },
  };
}

function field(value: object, name: string): unknown {
  return Reflect.get(value, name);
}

function text(value: object, name: string): string | undefined {
  const found = field(value, name);
  return typeof found === 'string' ? found : undefined;
}
