import type { OutputSchema } from '../options/option-types.ts';
import type { JsonObject } from '../wire/kinds.ts';

/**
 * The schema of a tool's input: a schema that can produce a JSON Schema (zod, arktype), `{ schema, jsonSchema }` for others
 * (valibot), or a plain JSON Schema, with `unknown` as the type of the input.
 */
export type ToolSchema<T = unknown> = OutputSchema<T>;

/** The context of a tool call. */
export interface ToolContext {
  /** Aborted when the call is cancelled or times out, or when the session ends. */
  readonly signal: AbortSignal;
  /** The id of the tool use, as in hooks and messages. */
  readonly toolUseId: string | undefined;
  /** All other data that the CLI sent with the call. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Runs a tool. If it throws, the call fails with the warning `tool-failed`. To report a failure to the model, return
 * `{ content, isError: true }`.
 */
export type ToolHandler<T> = (input: T, context: ToolContext) => ToolReturn | Promise<ToolReturn>;

/** Optional details of a tool. */
export interface ToolExtras {
  /** A display name. */
  readonly title?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Sent as the tool's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Hints about the behaviour of a tool. The CLI runs calls of read-only tools in parallel. */
export interface ToolAnnotations {
  readonly title?: string | undefined;
  readonly readOnlyHint?: boolean | undefined;
  readonly destructiveHint?: boolean | undefined;
  readonly idempotentHint?: boolean | undefined;
  readonly openWorldHint?: boolean | undefined;
}

/** A tool, ready for `toolServer()`. */
export interface Tool extends ToolExtras {
  readonly name: string;
  readonly description: string;
  /** The schema for the model. */
  readonly inputSchema: JsonObject;
  /** False for a plain JSON Schema, which `check` cannot validate. */
  readonly checksInput: boolean;
  /** Validates an input. Resolves to the handler's input or to a description of the problem. */
  check(input: unknown): Promise<{ readonly value: unknown } | { readonly problem: string }>;
  /** Calls the handler with a validated input. */
  run(input: unknown, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

/** A content block of a tool's result, in the format of MCP. */
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

/** A tool's complete result, in the format of MCP. */
export interface ToolResult {
  readonly content: readonly ToolContent[];
  readonly structuredContent?: unknown;
  /** True if the call failed; the model reads the content as an error. */
  readonly isError?: boolean | undefined;
}

/** The return value of a tool's handler: a text, content blocks, or the complete result. */
export type ToolReturn = string | readonly ToolContent[] | ToolResult;
