import { arrayField, field, stringField } from '../messages/fields.ts';
import type { StoreEntry } from '../store/session-store.ts';

/** A tool call without a result, and the entry that holds it. */
export interface OpenCall {
  readonly id: string;
  readonly tool: string;
  /** The id of the model's message. */
  readonly message: string | undefined;
  readonly entry: StoreEntry;
}

/** The calls of the main chain without a result, by id. */
export function openCalls(entries: readonly StoreEntry[]): ReadonlyMap<string, OpenCall> {
  const open = new Map<string, OpenCall>();
  for (const { id, call } of callsAndResults(entries)) {
    if (call) open.set(id, call);
    else open.delete(id);
  }
  return open;
}

/** The tool calls of the main chain in order, and their results, which have no `call`. */
export function* callsAndResults(
  entries: readonly StoreEntry[],
): Generator<{ readonly id: string; readonly call?: OpenCall }> {
  for (const entry of entries) {
    if (entry.isSidechain === true) continue;
    for (const block of blocksOf(entry)) {
      const isCall = entry.type === 'assistant' && field(block, 'type') === 'tool_use';
      const id = stringField(block, isCall ? 'id' : 'tool_use_id');
      if (id === undefined) continue;
      if (!isCall) yield { id };
      else
        yield {
          id,
          call: { id, tool: stringField(block, 'name') ?? '', message: stringField(entry.message, 'id'), entry },
        };
    }
  }
}

/** Ids of the API consist of these characters; the id becomes part of a shell command. */
export function isCallId(value: unknown): boolean {
  return typeof value === 'string' && /^[\w-]{1,200}$/.test(value);
}

/** The content blocks of an entry of the model or the user. */
export function blocksOf({ type, message }: StoreEntry): readonly unknown[] {
  return type === 'assistant' || type === 'user' ? arrayField(message, 'content') : [];
}
