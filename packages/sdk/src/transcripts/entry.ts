import { arrayField, stringField } from '../messages/fields.ts';
import { isJsonObject, type JsonObject } from '../wire/kinds.ts';

/** One line of a transcript that takes part in the conversation. */
export interface Entry {
  readonly uuid: string;
  /** The entry it follows; null for the first, and for the first after a compaction. */
  readonly parent: string | null;
  readonly type: string;
  /** Belongs to a subagent; older CLIs write its lines between those of the main conversation. */
  readonly sidechain: boolean;
  /** Context that the CLI added for the model. */
  readonly meta: boolean;
  /** The id of the API answer that it is a block of. */
  readonly answer: string | undefined;
  /** The tool call whose result it holds. */
  readonly toolCall: string | undefined;
  readonly compaction: Compaction | undefined;
  readonly line: string;
}

/** A point at which the CLI replaced the earlier conversation by a summary. */
export interface Compaction {
  /** The last entry before it. */
  readonly follows: string | undefined;
  /** The entry that the kept ones follow: the summary. */
  readonly anchor: string | undefined;
  /** Earlier entries that are kept unchanged, in order. */
  readonly kept: readonly string[];
  /** The first and the last of them, in the format of an older CLI. */
  readonly keptSpan: readonly [head: string, tail: string] | undefined;
}

/** The entry on a line; undefined if the line is something else. */
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

/** The fields that are not undefined. */
export function given<Fields extends object>(fields: Fields): { [K in keyof Fields]?: Exclude<Fields[K], undefined> } {
  // Object.fromEntries loses the names of the fields.
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
