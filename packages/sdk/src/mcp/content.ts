import { isObject } from '../options/checks.ts';
import { kindOf } from '../options/report.ts';

/** A piece of a tool's result, as MCP writes it. */
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

/** A tool's result in full, as MCP writes it. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: unknown;
  /** The model is told that the call failed. */
  readonly isError?: boolean | undefined;
}

/** What a tool's handler gives back: a text, pieces, or the result in full. */
export type ToolReturn = string | readonly ToolContent[] | ToolResult;

/** Writes what a handler gave back as a full result. @throws TypeError for anything that is none. */
export function toolResult(value: unknown): ToolResult {
  if (typeof value === 'string') return { content: [{ type: 'text', text: value }] };
  // What the pieces are is checked by the MCP library.
  if (Array.isArray(value)) return { content: value };
  if (isObject(value) && Array.isArray(value.content)) return { ...value, content: value.content };
  throw new TypeError(`The tool gave back ${kindOf(value)}; it must be a string, content blocks or { content }.`);
}

/** A result that tells the model what went wrong. */
export function errorResult(message: string): ToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}
