import type { OutputSchema } from '../options/option-types.ts';
import type { JsonObject } from '../wire/kinds.ts';

/**
 * The schema of a tool's input: one that carries its JSON Schema (zod, arktype), `{ schema, jsonSchema }` for one that
 * does not (valibot), or a JSON Schema alone, for which the input is `unknown`.
 */
export type ToolSchema<T = unknown> = OutputSchema<T>;

/** What a tool's handler receives besides its input. */
export interface ToolContext {
  /** Aborted when the call is cancelled, times out, or the session stops. */
  readonly signal: AbortSignal;
  /** The id of the tool use, as in hooks and messages. */
  readonly toolUseId: string | undefined;
  /** Everything else the CLI sent with the call. */
  readonly meta: Readonly<Record<string, unknown>>;
}

/**
 * Runs a tool. If it throws, the call fails, with the warning `tool-failed`; return `{ content, isError: true }` for a failure that
 * the model should read about.
 */
export type ToolHandler<T> = (input: T, context: ToolContext) => ToolReturn | Promise<ToolReturn>;

/** Optional details of a tool. */
export interface ToolExtras {
  /** A display name. */
  readonly title?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
  /** Passed on as the tool's `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
}

/** Hints about what a tool does. The CLI runs calls of read-only tools in parallel. */
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
  /** The schema the model sees. */
  readonly inputSchema: JsonObject;
  /** False for a JSON Schema alone, which `check` cannot validate. */
  readonly checksInput: boolean;
  /** Resolves with the handler's input, or with what is wrong with it. */
  check(input: unknown): Promise<{ readonly value: unknown } | { readonly problem: string }>;
  /** Calls the handler with a checked input. */
  run(input: unknown, context: ToolContext): ToolReturn | Promise<ToolReturn>;
}

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
