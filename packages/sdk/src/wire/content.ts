import { hasKnownKind, type JsonObject, type Open, type UnknownKind } from './kinds.ts';

/** One part of a message's content, discriminated by `type`. */
export type ContentBlock = KnownBlock | UnknownBlock;

/** The content blocks these types know. */
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

/** A content block of a kind these types do not know; all its fields are kept. */
export interface UnknownBlock {
  readonly type: UnknownKind;
  readonly [field: string]: unknown;
}

/** The content of a prompt. */
export type UserContent = string | readonly UserContentBlock[];

/** A content block of a prompt. */
export type UserContentBlock = TextBlock | ImageBlock | DocumentBlock | SearchResultBlock | ToolResultBlock;

/** Text. */
export interface TextBlock {
  readonly type: 'text';
  readonly text: string;
  readonly citations?: readonly JsonObject[] | null;
  readonly cache_control?: CacheControl | null;
}

/** The visible part of the model's thinking. */
export interface ThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature?: string;
}

/** Thinking that is not shown; `data` is opaque. */
export interface RedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: JsonObject;
  /** Only in the snapshots of `assemblePartials`, never on the wire: the JSON of `input` so far. */
  readonly partial_json?: string;
}

/** The model calls a tool. */
export interface ToolUseBlock extends ToolCall {
  readonly type: 'tool_use';
}

/** The result of a tool. */
export interface ToolResultBlock {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
  readonly cache_control?: CacheControl | null;
}

/** An image. */
export interface ImageBlock {
  readonly type: 'image';
  readonly source: Base64Source | UrlSource | FileSource;
  readonly cache_control?: CacheControl | null;
}

/** A document: a PDF, plain text, or content blocks. */
export interface DocumentBlock {
  readonly type: 'document';
  readonly source: Base64Source | UrlSource | FileSource | TextSource | ContentSource;
  readonly title?: string | null;
  readonly context?: string | null;
  readonly citations?: { readonly enabled?: boolean } | null;
  readonly cache_control?: CacheControl | null;
}

/** A passage found by a search, to be cited. */
export interface SearchResultBlock {
  readonly type: 'search_result';
  readonly source: string;
  readonly title: string;
  readonly content: readonly TextBlock[];
  readonly citations?: { readonly enabled?: boolean };
  readonly cache_control?: CacheControl | null;
}

/** A tool that a tool search found. */
export interface ToolReferenceBlock {
  readonly type: 'tool_reference';
  readonly tool_name: string;
}

/** The model calls a tool that the API runs. */
export interface ServerToolUseBlock extends ToolCall {
  readonly type: 'server_tool_use';
}

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

/** The model calls a tool of an MCP server that the API talks to. */
export interface McpToolUseBlock extends ToolCall {
  readonly type: 'mcp_tool_use';
  readonly server_name: string;
}

/** The result of such an MCP tool. */
export interface McpToolResultBlock {
  readonly type: 'mcp_tool_result';
  readonly tool_use_id: string;
  readonly content?: string | readonly ContentBlock[];
  readonly is_error?: boolean;
}

/** A file in the API's container. */
export interface ContainerUploadBlock {
  readonly type: 'container_upload';
  readonly file_id: string;
}

/** The summary that replaces compacted history. */
export interface CompactionBlock {
  readonly type: 'compaction';
  readonly content: string | null;
}

/** The point at which the API switched to another model. */
export interface FallbackBlock {
  readonly type: 'fallback';
  readonly from?: JsonObject;
  readonly to?: JsonObject;
}

/** Bytes in base64. */
export interface Base64Source {
  readonly type: 'base64';
  readonly media_type: Open<'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp' | 'application/pdf'>;
  readonly data: string;
}

/** Bytes the API fetches. */
export interface UrlSource {
  readonly type: 'url';
  readonly url: string;
}

/** A file that was uploaded earlier. */
export interface FileSource {
  readonly type: 'file';
  readonly file_id: string;
}

/** Plain text. */
export interface TextSource {
  readonly type: 'text';
  readonly media_type: 'text/plain';
  readonly data: string;
}

/** Content blocks as the source of a document. */
export interface ContentSource {
  readonly type: 'content';
  readonly content: string | readonly (TextBlock | ImageBlock)[];
}

/** Asks the API to cache the prompt up to this block. */
export interface CacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: Open<'5m' | '1h'>;
}

/** True for a content block of a kind these types do not know. */
export function isUnknownBlock(block: ContentBlock): block is UnknownBlock {
  return !hasKnownKind(block, 'type', knownBlocks);
}

const knownBlocks: Record<KnownBlock['type'], true> = {
  text: true,
  thinking: true,
  redacted_thinking: true,
  tool_use: true,
  tool_result: true,
  image: true,
  document: true,
  search_result: true,
  tool_reference: true,
  server_tool_use: true,
  web_search_tool_result: true,
  web_fetch_tool_result: true,
  code_execution_tool_result: true,
  bash_code_execution_tool_result: true,
  text_editor_code_execution_tool_result: true,
  tool_search_tool_result: true,
  advisor_tool_result: true,
  mcp_tool_use: true,
  mcp_tool_result: true,
  container_upload: true,
  compaction: true,
  fallback: true,
};
