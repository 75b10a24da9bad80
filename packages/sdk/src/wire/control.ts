import { encodeLine } from './encode.ts';

/** A request from the SDK to the CLI, or from the CLI to the SDK. */
export interface ControlRequestFrame {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: { readonly subtype: string; readonly [field: string]: unknown };
}

/** The response to a control request. */
export interface ControlResponseFrame {
  readonly type: 'control_response';
  readonly response:
    | { readonly subtype: 'success'; readonly request_id: string; readonly response?: unknown }
    | {
        readonly subtype: 'error';
        readonly request_id: string;
        readonly error: string;
        readonly error_code?: string;
      };
}

/** Withdraws a control request. */
export interface ControlCancelFrame {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

/** A request to the CLI. */
export function controlRequest(id: string, subtype: string, payload: object = {}): ControlRequestFrame {
  return { type: 'control_request', request_id: id, request: { ...payload, subtype } };
}

/** The line of a successful response to the CLI. @throws TypeError when the response cannot be written as JSON */
export function successLine(id: string, response: object): string {
  const frame: ControlResponseFrame = {
    type: 'control_response',
    response: { subtype: 'success', request_id: id, response },
  };
  return encodeLine(frame);
}

/** An error response to the CLI. */
export function controlError(id: string, error: string, code?: string): ControlResponseFrame {
  return {
    type: 'control_response',
    response: {
      subtype: 'error',
      request_id: id,
      error,
      ...(code === undefined ? {} : { error_code: code }),
    },
  };
}

/** Withdraws a request to the CLI. */
export function controlCancel(id: string): ControlCancelFrame {
  return { type: 'control_cancel_request', request_id: id };
}
