import { arrayField, stringField } from '../messages/fields.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/** A line of a transcript that belongs to the conversation. */
export interface Entry {
  readonly uuid: string;
  /** The uuid of the previous entry; null for the first entry, and for the first after a compaction. */
  readonly parent: string | null;
  readonly type: string;
  /** True for an entry of a subagent; older CLIs write these between those of the main conversation. */
  readonly sidechain: boolean;
  /** True for context that the CLI added for the model. */
  readonly meta: boolean;
  /** The id of the API answer that the block belongs to. */
  readonly answer: string | undefined;
  /** The tool call that the result belongs to. */
  readonly toolCall: string | undefined;
  readonly compaction: Compaction | undefined;
  readonly line: string;
}

/** A point at which the CLI replaced the earlier conversation with a summary. */
export interface Compaction {
  /** The last entry before the compaction. */
  readonly follows: string | undefined;
  /** The summary, which precedes the kept entries. */
  readonly anchor: string | undefined;
  /** Earlier entries that are kept unchanged, in order. */
  readonly kept: readonly string[];
  /** The first and the last kept entry, in the format of an older CLI. */
  readonly keptSpan: readonly [head: string, tail: string] | undefined;
}

/** Parses an entry; undefined for any other line. */
export function entryOf(object: JsonObject, line: string): Entry | undefined {
  const { uuid, parentUuid, type, message } = object;
  if (typeof uuid !== 'string' || typeof type !== 'string') return undefined;
  if (parentUuid !== null && typeof parentUuid !== 'string') return undefined;
  if ((type === 'user' || type === 'assistant') && !isJsonObject(message)) return undefined;
  return {
    uuid,
    parent: parentUuid,
    type,
    sidechain: object.isSidechain === true,
    meta: object.isMeta === true,
    answer: type === 'assistant' ? stringField(message, 'id') : undefined,
    toolCall: type === 'user' ? textIn(arrayField(message, 'content').find(isToolResult), 'tool_use_id') : undefined,
    compaction: type === 'system' && object.subtype === 'compact_boundary' ? compactionOf(object) : undefined,
    line,
  };
}

/** The text of a field; undefined if it is empty or not a string. */
export function textIn(object: unknown, field: string): string | undefined {
  return stringField(object, field) || undefined;
}

/** Removes undefined fields. */
export function given<Fields extends object>(fields: Fields): { [K in keyof Fields]?: Exclude<Fields[K], undefined> } {
  // Object.fromEntries loses the field names in its type.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
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

function isToolResult(block: unknown): boolean {
  return stringField(block, 'type') === 'tool_result';
}
