import { kindOf } from '../options/checks.ts';
import { isJsonObject } from '../wire/kinds.ts';

/** A content block of a tool's result, in the form of MCP. */
export type ToolContent =
  | { readonly type: 'text'; readonly text: string }
  /** `data` is base64. */
  | { readonly type: 'image'; readonly data: string; readonly mimeType: string }
  | { readonly type: 'audio'; readonly data: string; readonly mimeType: string }
  | {
      readonly type: 'resource_link';
      readonly uri: string;
      readonly name: string;
      readonly description?: string | undefined;
      readonly mimeType?: string | undefined;
    }
  | { readonly type: 'resource'; readonly resource: EmbeddedResource };

/** A resource inside a tool's result; `blob` is base64. */
export type EmbeddedResource = { readonly uri: string; readonly mimeType?: string | undefined } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** A tool's complete result, in the form of MCP. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: unknown;
  /** Tells the model that the call failed. */
  readonly isError?: boolean | undefined;
}

/** What a tool's handler returns: a text, content blocks, or the complete result. */
export type ToolReturn = string | readonly ToolContent[] | ToolResult;

/** The complete result for what a handler returned. @throws TypeError for anything else */
export function toolResult(value: unknown): ToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  // The MCP library validates the blocks.
  if (Array.isArray(value)) return { content: value };
  if (isJsonObject(value) && Array.isArray(value.content)) return { ...value, content: value.content };
  throw new TypeError(`The tool returned ${kindOf(value)}; it must return a string, content blocks or { content }.`);
}

/** A result that tells the model what failed. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
