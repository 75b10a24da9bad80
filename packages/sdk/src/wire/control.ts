/** A request of one side to the other. */
export interface ControlRequestFrame {
  readonly type: 'control_request';
  readonly request_id: string;
  readonly request: { readonly subtype: string; readonly [field: string]: unknown };
}

/** The answer to one. */
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

/** The side that asked does not want an answer any more. */
export interface ControlCancelFrame {
  readonly type: 'control_cancel_request';
  readonly request_id: string;
}

/** A request to the CLI. */
export function controlRequest(id: string, subtype: string, payload: object = {}): ControlRequestFrame {
  return { type: 'control_request', request_id: id, request: { ...payload, subtype } };
}

/** The answer that says nothing. */
export const NO_ANSWER: Readonly<Record<string, never>> = Object.freeze({});

/** The line of a good answer to the CLI. Put together as text: the objects around the answer cost 3 % of a quick hook. */
export function successLine(id: string, response: object): string {
  // An object may say that it is nothing in JSON.
  const answer = response === NO_ANSWER ? '{}' : (JSON.stringify(response) ?? '{}');
  return `{"type":"control_response","response":{"subtype":"success","request_id":${JSON.stringify(id)},"response":${answer}}}\n`;
}

/** A refusal. */
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

/** Withdraws a request of ours. */
export function controlCancel(id: string): ControlCancelFrame {
  return { type: 'control_cancel_request', request_id: id };
}
