import type { UserContent } from './messages.ts';

/** A user message in the stream-json input of the CLI. */
export interface UserFrame {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: UserContent };
  readonly parent_tool_use_id?: string | null;
  readonly session_id?: string;
  readonly uuid?: string;
  readonly [field: string]: unknown;
}

/** Builds the frame for a prompt. The CLI exits on a top-level `content` or a message without a role. */
export function userFrame(content: UserContent, uuid?: string): UserFrame {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...(uuid === undefined ? {} : { uuid }),
  };
}

export function encodeLine(frame: object): string {
  return `${JSON.stringify(frame)}\n`;
}

/** Builds a request to the CLI. */
export function controlRequest(id: string, subtype: string, payload: object = {}): object {
  return { type: 'control_request', request_id: id, request: { ...payload, subtype } };
}

/** Encodes a successful response to the CLI. @throws TypeError if the response cannot be written as JSON */
export function successLine(id: string, response: object): string {
  return encodeLine({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
}

/** Builds an error response to the CLI. */
export function controlError(id: string, error: string, code: string): object {
  return { type: 'control_response', response: { subtype: 'error', request_id: id, error, error_code: code } };
}

/** Builds the frame that withdraws a request to the CLI. */
export function controlCancel(id: string): object {
  return { type: 'control_cancel_request', request_id: id };
}
