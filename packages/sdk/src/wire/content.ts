import type { JsonObject, Open, Typed, UnknownKind } from './kinds.ts';

/** One part of a message's content, discriminated by `type`. */
export type ContentBlock = KnownBlock | UnknownBlock;

/** The content blocks with a known `type`. */
export type KnownBlock =
  | TextBlock
  | ThinkingBlock
  | RedactedThinkingBlock
  | ToolUseBlock
  | ToolResultBlock
  | ImageBlock
  | DocumentBlock
  | SearchResultBlock
  | ToolReferenceBlock
  | ServerToolUseBlock
  | ServerToolResultBlock
  | McpToolUseBlock
  | McpToolResultBlock
  | ContainerUploadBlock
  | CompactionBlock
  | FallbackBlock;

/** A content block with an unknown `type`; all fields are kept. */
export interface UnknownBlock extends Typed<UnknownKind>, JsonObject {}

/** The content of a prompt. */
export type UserContent = string | readonly UserContentBlock[];

/** A content block of a prompt. */
export type UserContentBlock = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | ToolResultBlock;

interface Cacheable<Type extends string> extends Typed<Type> {
  readonly cache_control?: CacheControl | null;
}

/** Text. */
export interface TextBlock extends Cacheable<'text'> {
  readonly text: string;
  readonly citations?: readonly JsonObject[] | null;
}

/** The visible part of the model's thinking. */
export interface ThinkingBlock extends Typed<'thinking'> {
  readonly thinking: string;
  readonly signature?: string;
}

/** Hidden thinking; `data` is opaque. */
export interface RedactedThinkingBlock extends Typed<'redacted_thinking'> {
  readonly data: string;
}

interface ToolCall<Type extends string> extends Typed<Type> {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** The JSON of `input` so far. Present only in the snapshots of `assemblePartials`, never on the wire. */
  readonly partial_json?: string;
}

/** The model calls a tool. */
export interface ToolUseBlock extends ToolCall<'tool_use'> {}

interface ToolOutput<Type extends string> extends Typed<Type> {
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}

/** The result of a tool. */
export interface ToolResultBlock extends ToolOutput<'tool_result'>, Cacheable<'tool_result'> {}

/** An image. */
export interface ImageBlock extends Cacheable<'image'> {
  readonly source: Base64Source | UrlSource | FileSource;
}

/** A document: a PDF, plain text, or content blocks. */
export interface DocumentBlock extends Cacheable<'document'> {
  readonly source: Base64Source | UrlSource | FileSource | TextSource | ContentSource;
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: { readonly enabled?: boolean } | null;
}

/** A citable passage found by a search. */
export interface SearchResultBlock extends Cacheable<'search_result'> {
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextBlock[];
  readonly citations?: { readonly enabled?: boolean };
}

/** A tool found by a tool search. */
export interface ToolReferenceBlock extends Typed<'tool_reference'> {
  readonly tool_name: string;
}

/** The model calls a tool that the API runs. */
export interface ServerToolUseBlock extends ToolCall<'server_tool_use'> {}

/** The result of a tool that the API runs. */
export interface ServerToolResultBlock {
  readonly type:
    | 'web_search_tool_result'
    | 'web_fetch_tool_result'
    | 'code_execution_tool_result'
    | 'bash_code_execution_tool_result'
    | 'text_editor_code_execution_tool_result'
    | 'tool_search_tool_result'
    | 'advisor_tool_result';
  readonly tool_use_id: string;
  /** The result, or an object with an `error_code`; the shape depends on the tool. */
  readonly content: unknown;
}

/** The model calls a tool of an MCP server that the API is connected to. */
export interface McpToolUseBlock extends ToolCall<'mcp_tool_use'> {
  readonly server_name: string;
}

/** The result of a tool of an MCP server that the API is connected to. */
export interface McpToolResultBlock extends ToolOutput<'mcp_tool_result'> {}

/** A file in the container of the API. */
export interface ContainerUploadBlock extends Typed<'container_upload'> {
  readonly file_id: string;
}

/** The summary that replaces compacted history. */
export interface CompactionBlock extends Typed<'compaction'> {
  readonly content: string | null;
}

/** The point at which the API switched to another model. */
export interface FallbackBlock extends Typed<'fallback'> {
  readonly from?: JsonObject;
  readonly to?: JsonObject;
}

/** Bytes in base64. */
export interface Base64Source extends Typed<'base64'> {
  readonly media_type: Open<'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'application/pdf'>;
  readonly data: string;
}

/** A URL that the API fetches. */
export interface UrlSource extends Typed<'url'> {
  readonly url: string;
}

/** A previously uploaded file. */
export interface FileSource extends Typed<'file'> {
  readonly file_id: string;
}

/** Plain text. */
export interface TextSource extends Typed<'text'> {
  readonly media_type: 'text/plain';
  readonly data: string;
}

/** Content blocks as the source of a document. */
export interface ContentSource extends Typed<'content'> {
  readonly content: string | readonly (TextBlock | ImageBlock)[];
}

/** Asks the API to cache the prompt up to this block. */
export interface CacheControl extends Typed<'ephemeral'> {
  readonly ttl?: Open<'5m' | '1h'>;
}
