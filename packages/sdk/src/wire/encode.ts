import type { UserContent } from './messages.ts';

/** What the CLI takes as a user's message in stream-json input. */
export interface UserFrame {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | UserContent };
  readonly parent_tool_use_id?: string | null;
  readonly session_id?: string;
  readonly uuid?: string;
  readonly [field: string]: unknown;
}

/** The frame for a prompt. A top-level `content`, or a message without a role, makes the CLI exit. */
export function userFrame(content: string | UserContent, uuid?: string): UserFrame {
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
