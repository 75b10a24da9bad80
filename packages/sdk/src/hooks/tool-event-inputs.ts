import type { PermissionUpdate } from '../permissions/request.ts';
import type { JsonObject } from '../wire/kinds.ts';
import type { HookInputBase } from './input-base.ts';
import type { KnownTool, OtherTool, ToolInputOf } from './tool-inputs.ts';

/** A tool is about to run. */
export type PreToolUseInput = { [T in KnownTool]: PreToolUseOf<T> }[KnownTool] | PreToolUseOf<OtherTool>;

/** A tool has run. */
export type PostToolUseInput = { [T in KnownTool]: PostToolUseOf<T> }[KnownTool] | PostToolUseOf<OtherTool>;

/** A tool has failed; a denied one does not come here. */
export type PostToolUseFailureInput =
  | { [T in KnownTool]: PostToolUseFailureOf<T> }[KnownTool]
  | PostToolUseFailureOf<OtherTool>;

/** Somebody is about to be asked for a permission. */
export type PermissionRequestInput =
  | { [T in KnownTool]: PermissionRequestOf<T> }[KnownTool]
  | PermissionRequestOf<OtherTool>;

/** A permission was refused without asking. */
export type PermissionDeniedInput =
  | { [T in KnownTool]: PermissionDeniedOf<T> }[KnownTool]
  | PermissionDeniedOf<OtherTool>;

/** All tool calls of one message are done. */
export interface PostToolBatchInput extends HookInputBase {
  readonly hook_event_name: 'PostToolBatch';
  readonly tool_calls: readonly {
    readonly tool_name: string;
    readonly tool_input: JsonObject;
    readonly tool_use_id: string;
    readonly tool_response?: unknown;
  }[];
}

interface ToolCall<T extends string> extends HookInputBase {
  readonly tool_name: T;
  readonly tool_input: ToolInputOf<T>;
}

interface PreToolUseOf<T extends string> extends ToolCall<T> {
  readonly hook_event_name: 'PreToolUse';
  readonly tool_use_id: string;
  /** The server of an MCP tool. */
  readonly mcp_server?: McpServerRef;
}

interface PostToolUseOf<T extends string> extends ToolCall<T> {
  readonly hook_event_name: 'PostToolUse';
  readonly tool_use_id: string;
  /** What the tool gave back, in the tool's own structure. */
  readonly tool_response: unknown;
  readonly duration_ms?: number;
  readonly mcp_server?: McpServerRef;
}

interface PostToolUseFailureOf<T extends string> extends ToolCall<T> {
  readonly hook_event_name: 'PostToolUseFailure';
  readonly tool_use_id: string;
  readonly error: string;
  readonly is_interrupt?: boolean;
  readonly duration_ms?: number;
  readonly mcp_server?: McpServerRef;
}

interface PermissionRequestOf<T extends string> extends ToolCall<T> {
  readonly hook_event_name: 'PermissionRequest';
  readonly permission_suggestions?: readonly PermissionUpdate[];
  readonly tool_use_id?: string;
  readonly mcp_server?: McpServerRef;
}

interface PermissionDeniedOf<T extends string> extends ToolCall<T> {
  readonly hook_event_name: 'PermissionDenied';
  readonly tool_use_id: string;
  readonly reason: string;
  readonly mcp_server?: McpServerRef;
}

interface McpServerRef {
  readonly name: string;
  readonly source: string;
}
