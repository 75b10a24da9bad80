import { field, stringField } from '../messages/fields.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';
import type { Message } from '../wire/messages.ts';

/** A well-formed request of the CLI. */
export interface CliRequest {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: JsonObject & { readonly subtype: string };
}

/** The classification of a frame. */
export type Routed =
  | { readonly kind: 'message' }
  | { readonly kind: 'request'; readonly request: CliRequest }
  | { readonly kind: 'ignore' }
  | { readonly kind: 'response'; readonly id: string | undefined; readonly answer: ControlAnswer }
  | { readonly kind: 'bad-request'; readonly id: string | undefined; readonly missing: string }
  | { readonly kind: 'cancel'; readonly id: string | undefined };

/** The CLI's answer to a control request. A success may have no body. */
export type ControlAnswer =
  | { readonly ok: true; readonly body: unknown }
  | { readonly ok: false; readonly error: string; readonly errorCode: string | undefined };

/** Distinguishes control frames from messages. */
export function route(frame: Readonly<{ type: string }>): Routed {
  const id = stringField(frame, 'request_id');
  switch (frame.type) {
    case 'control_request': {
      const request = field(frame, 'request');
      if (id === undefined) return { kind: 'bad-request', id, missing: 'request_id' };
      if (!isJsonObject(request)) return { kind: 'bad-request', id, missing: 'request' };
      if (stringField(request, 'subtype') === undefined) return { kind: 'bad-request', id, missing: 'request.subtype' };
      // All its fields were checked.
      return { kind: 'request', request: frame as CliRequest };
    }
    case 'control_response': {
      const response = field(frame, 'response');
      return { kind: 'response', id: stringField(response, 'request_id') ?? id, answer: answerIn(response) };
    }
    case 'control_cancel_request':
      return { kind: 'cancel', id };
    case 'keep_alive':
      return { kind: 'ignore' };
    default:
      return { kind: 'message' };
  }
}

/** True for a message that is meant only for the SDK and is not passed on. */
export function isHostOnly(message: Message): boolean {
  return 'sdk_host_only' in message && message.sdk_host_only === true;
}

function answerIn(response: unknown): ControlAnswer {
  if (field(response, 'subtype') !== 'error') return { ok: true, body: field(response, 'response') };
  return { ok: false, error: stringField(response, 'error') ?? '', errorCode: stringField(response, 'error_code') };
}
