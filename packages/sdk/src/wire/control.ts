import { encodeLine } from './encode.ts';

/** A request to the CLI. */
export function controlRequest(id: string, subtype: string, payload: object = {}): object {
  return { type: 'control_request', request_id: id, request: { ...payload, subtype } };
}

/** The line of a successful response to the CLI. @throws TypeError when the response cannot be written as JSON */
export function successLine(id: string, response: object): string {
  return encodeLine({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
}

/** An error response to the CLI. */
export function controlError(id: string, error: string, code: string): object {
  return { type: 'control_response', response: { subtype: 'error', request_id: id, error, error_code: code } };
}

/** Withdraws a request to the CLI. */
export function controlCancel(id: string): object {
  return { type: 'control_cancel_request', request_id: id };
}
