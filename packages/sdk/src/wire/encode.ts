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

/** The frame for a prompt. The CLI exits on a top-level `content`, or a message without a role. */
export function userFrame(content: UserContent, uuid?: string): UserFrame {
  return {
    type: 'user',
    message: { role: 'user', content },
    parent_tool_use_id: null,
    ...(uuid === undefined ? {} : { uuid }),
  };
}

/** One frame as a line. */
export function encodeLine(frame: object): string {
  return `${JSON.stringify(frame)}\n`;
}
