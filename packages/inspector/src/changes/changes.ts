import type { ChangedFile, ChangesPage, Diff } from '../api.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { cutHunks, sizeOf } from '../transcript/tool-diff.ts';
import { type ReadEdit, readEdits } from './edits.ts';
import { type MergedChanges, mergeEdits } from './merge.ts';
import { patchOf } from './patch.ts';

/** The files that a conversation has changed, with their edits. */
export async function changesOf(record: ConversationRecord): Promise<ChangesPage> {
  const { byPath, leftOut } = await readEdits(record);
  const files = [...byPath].map(([path, edits]) => fileOf(path, edits, mergeEdits(edits)));
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { folder: record.summary().cwd, files, leftOut };
}

/** The merged diff of a file; undefined if the conversation has not changed it. */
export async function mergedDiff(record: ConversationRecord, path: string): Promise<Diff | undefined> {
  const edits = (await readEdits(record, path)).byPath.get(path);
  if (edits === undefined) return undefined;
  const { hunks, created } = mergeEdits(edits);
  const shown = cutHunks(hunks);
  const more = `api/conversations/${record.id}/changes/patch?path=${encodeURIComponent(path)}`;
  return { path, ...sizeOf(hunks), created, hunks: shown.hunks, more: shown.isCut ? more : null };
}

/** All changes as a patch; with a path, those of one file. */
export async function conversationPatch(record: ConversationRecord, path?: string): Promise<string> {
  const { byPath } = await readEdits(record, path);
  const { cwd } = record.summary();
  return [...byPath].map(([name, edits]) => patchOf(name, cwd, mergeEdits(edits))).join('');
}

function fileOf(path: string, edits: readonly ReadEdit[], { hunks, created, merged }: MergedChanges): ChangedFile {
  return {
    path,
    ...sizeOf(hunks),
    created,
    merged,
    edits: edits.map(({ hunks: _, created: __, ...edit }) => edit),
  };
}
