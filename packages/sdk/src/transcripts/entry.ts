import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/** One line of a transcript that takes part in the conversation. */
export interface Entry {
  readonly uuid: string;
  /** The entry it follows; null for the first, and for the first after a compaction. */
  readonly parent: string | null;
  readonly type: string;
  /** Belongs to a subagent whose lines stand between those of the main conversation, as older CLIs write them. */
  readonly sidechain: boolean;
  /** The answer of the API it is a block of. */
  readonly answer: string | undefined;
  /** The tool call it holds the result of. */
  readonly toolCall: string | undefined;
  readonly compaction: Compaction | undefined;
  readonly line: string;
}

/** Where the CLI replaced what came before by a summary. */
export interface Compaction {
  /** The last entry before it. */
  readonly follows: string | undefined;
  /** The entry after which the kept ones stand: the summary. */
  readonly anchor: string | undefined;
  /** Entries from before that are kept word for word, in order. */
  readonly kept: readonly string[];
  /** The same as an older CLI says it: the first and the last of them. */
  readonly keptSpan: readonly [head: string, tail: string] | undefined;
}

/** The object on a line; undefined for anything else. Never throws. */
export function objectOn(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The entry on a line; undefined if the line is something else. */
export function entryOf(object: JsonObject, line: string): Entry | undefined {
  const { uuid, parentUuid, type, message } = object;
  if (typeof uuid !== 'string' || typeof type !== 'string') return undefined;
  if (parentUuid !== null && typeof parentUuid !== 'string') return undefined;
  if ((type === 'user' || type === 'assistant') && !isJsonObject(message)) return undefined;
  const { id, content } = isJsonObject(message) ? message : {};
  return {
    uuid,
    parent: parentUuid,
    type,
    sidechain: object.isSidechain === true,
    answer: type === 'assistant' && typeof id === 'string' ? id : undefined,
    toolCall: type === 'user' && Array.isArray(content) ? toolCallIn(content) : undefined,
    compaction: type === 'system' && object.subtype === 'compact_boundary' ? compactionOf(object) : undefined,
    line,
  };
}

/** The text of a field; undefined if it holds none. */
export function textIn(object: unknown, field: string): string | undefined {
  const value = isJsonObject(object) ? object[field] : undefined;
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function compactionOf({ logicalParentUuid, compactMetadata }: JsonObject): Compaction {
  const { preservedMessages, preservedSegment } = isJsonObject(compactMetadata) ? compactMetadata : {};
  const kept = isJsonObject(preservedMessages) ? preservedMessages.uuids : undefined;
  const head = textIn(preservedSegment, 'headUuid');
  const tail = textIn(preservedSegment, 'tailUuid');
  return {
    follows: typeof logicalParentUuid === 'string' ? logicalParentUuid : undefined,
    anchor: textIn(preservedMessages, 'anchorUuid') ?? textIn(preservedSegment, 'anchorUuid'),
    kept: Array.isArray(kept) ? kept.filter((uuid) => typeof uuid === 'string') : [],
    keptSpan: head === undefined || tail === undefined ? undefined : [head, tail],
  };
}

function toolCallIn(content: readonly unknown[]): string | undefined {
  const result = content.find((block) => isJsonObject(block) && block.type === 'tool_result');
  return textIn(result, 'tool_use_id');
}
