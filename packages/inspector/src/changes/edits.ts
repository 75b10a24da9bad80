import type { Entry, Explanation, FileEdit, Hunk } from '../api.ts';
import type { ConversationRecord } from '../conversations/record.ts';
import { parseUnified } from '../diff/parse-unified.ts';
import { oneLine } from '../transcript/cut.ts';
import { withoutMarkdown } from '../transcript/without-markdown.ts';
import type { EditHunks } from './merge.ts';

/** Most edits that are read, length of an explanation, and entries that are read before other work gets a turn. */
const LIMITS = { edits: 5_000, why: 300, slice: 200 };

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
      of.push({ ...head, ...explanations.of(entry), hunks: hunksIn(record, entry.diff), created });
    }
    await new Promise(setImmediate);
  }
  return { byPath, leftOut };
}

/** The hunks of a diff, in full. */
function hunksIn(
  record: ConversationRecord,
  { hunks, more }: { hunks: readonly Hunk[]; more: string | null },
): readonly Hunk[] {
  const number = /\/parts\/(\d+)$/.exec(more ?? '')?.[1];
  const whole = number === undefined ? undefined : record.entries.part(Number(number));
  return whole === undefined ? hunks : parseUnified(whole.toString());
}

/** What was last said in the main conversation and in each subagent. */
class Explanations {
  readonly #last = new Map<string | null, Explanation>();
  readonly #tasks = new Map<string, string>();

  note(entry: Entry): void {
    const { parent, n } = entry;
    if (entry.kind === 'tool' && entry.subagent !== null) {
      const text = entry.subagent.description ?? entry.subagent.type ?? '';
      this.#tasks.set(entry.id, oneLine(text));
      this.#set(entry.id, 'task', text, n);
    } else if (entry.kind === 'prompt') this.#set(parent, 'prompt', entry.text.text, n);
    else if (entry.kind === 'text') this.#set(parent, 'text', withoutMarkdown(entry.text.text), n);
    // What an agent says explains more than what it thinks.
    else if (entry.kind === 'thinking' && this.#last.get(parent)?.kind !== 'text')
      this.#set(parent, 'thinking', entry.text.text, n);
  }

  of({ parent }: Entry): Pick<FileEdit, 'agent' | 'why'> {
    const agent = parent === null ? null : (this.#tasks.get(parent) ?? '');
    return { agent, why: this.#last.get(parent) ?? null };
  }

  #set(parent: string | null, kind: Explanation['kind'], text: string, entry: number): void {
    if (text.trim() !== '') this.#last.set(parent, { kind, text: oneLine(text, LIMITS.why), entry });
  }
}
