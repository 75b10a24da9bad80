import type { Entry, Explanation } from '../api.ts';
import { oneLine } from '../transcript/cut.ts';
import { withoutMarkdown } from '../transcript/without-markdown.ts';

/** Length of an explanation. */
const LENGTH = 300;

/** The last text of the main conversation and of each subagent, while entries are read in order. */
export class Explanations {
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
    // The text of an agent explains more than its thinking.
    else if (entry.kind === 'thinking' && this.#last.get(parent)?.kind !== 'text')
      this.#set(parent, 'thinking', entry.text.text, n);
  }

  /** The task of the subagent of an entry, and what explains the entry. */
  of({ parent }: Entry): { readonly agent: string | null; readonly why: Explanation | null } {
    const agent = parent === null ? null : (this.#tasks.get(parent) ?? '');
    return { agent, why: this.#last.get(parent) ?? null };
  }

  #set(parent: string | null, kind: Explanation['kind'], text: string, entry: number): void {
    if (text.trim() !== '') this.#last.set(parent, { kind, text: oneLine(text, LENGTH), entry });
  }
}
