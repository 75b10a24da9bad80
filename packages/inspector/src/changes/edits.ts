import type { FileEdit } from '../api.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { wholeHunks } from '../diff/whole-hunks.ts';
import { Explanations } from './explanations.ts';
import type { EditHunks } from './merge.ts';

/** Most edits that are read, and entries that are read before other work gets a turn. */
const LIMITS = { edits: 2_000, slice: 200 };

/** An edit with its changes. */
export interface ReadEdit extends FileEdit, EditHunks {}

/** The edits of a conversation by path, in order. */
export interface ReadEdits {
  readonly byPath: ReadonlyMap<string, readonly ReadEdit[]>;
  readonly leftOut: number;
}

/** Reads the edits that were carried out; `only`: of one file. */
export async function readEdits(record: ConversationRecord, only?: string): Promise<ReadEdits> {
  const byPath = new Map<string, ReadEdit[]>();
  const explanations = new Explanations();
  let [found, leftOut] = [0, 0];
  for (let from = 0; from < record.entries.total; from += LIMITS.slice) {
    for (const entry of record.entries.window(from, LIMITS.slice)) {
      explanations.note(entry);
      if (entry.kind !== 'tool' || entry.diff === null || entry.state !== 'ok') continue;
      const { path, added, removed, created } = entry.diff;
      if (only !== undefined && path !== only) continue;
      if (found >= LIMITS.edits) {
        leftOut += 1;
        continue;
      }
      found += 1;
      const of = byPath.get(path) ?? [];
      byPath.set(path, of);
      const head = { entry: entry.n, at: entry.at, tool: entry.name, added, removed };
      of.push({ ...head, ...explanations.of(entry), hunks: wholeHunks(entry.diff, record.entries), created });
    }
    await new Promise(setImmediate);
  }
  return { byPath, leftOut };
}
