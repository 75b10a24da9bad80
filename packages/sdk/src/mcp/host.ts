import type { InContext } from '../timing/caller.ts';
import type { Warning } from '../warnings/warning.ts';
import type { RequestEnd } from './open-request.ts';

/** What the servers of a session need from the outside. */
export interface ToolServerHost {
  /** Sends a server's own message to the CLI, as the control request `mcp_message`. It may throw. */
  send(server: string, message: object): void;
  warn(warning: Warning): void;
  /** The async context of whoever asks for the server's code to run. */
  context(): InContext;
  /** Is told of each tool call. */
  report?(event: ToolCallEvent): void;
  readonly limits: ToolServerLimits;
}

/** How long a server may take, in ms; 0 is as long as it takes. */
export interface ToolServerLimits {
  /** For being made and connected, and for every request but a tool call; the CLI itself gives up after 30 s. */
  readonly toolRequestTimeoutMs: number;
  /** For a tool call. */
  readonly toolCallTimeoutMs: number;
  /** For closing. */
  readonly toolCloseMs: number;
}

/** A tool call began or ended, as plain JSON. */
export type ToolCallEvent =
  | ({ readonly type: 'callback-started' } & ToolCallHead)
  | ({ readonly type: 'callback-ended'; readonly decision: RequestEnd; readonly ms: number } & ToolCallHead);

/** Which call it is. */
export interface ToolCallHead {
  readonly kind: 'tool';
  /** The id of the tool use; for a CLI that does not send it, the server's name and a number. */
  readonly id: string;
  /** The server's name. */
  readonly name: string;
  readonly event: null;
  /** `mcp__calc__add`, as in hooks. */
  readonly tool: string;
}
