import type { Compaction, Entry } from './entry.ts';

/** A parsed transcript. */
export interface Transcript {
  /** In the order of the file. If several lines have the same uuid, the last one counts. */
  readonly entries: readonly Entry[];
  /** The entry that the CLI recorded as the last of the conversation. */
  readonly lastLeaf: string | undefined;
}

/**
 * The entries that the CLI resumes with, in order: the latest branch, or after a compaction the summary and the kept entries.
 * Measured on 2.1.325 and 2.1.197, also with broken files.
 */
export function resumedChain({ entries, lastLeaf }: Transcript): Entry[] {
  const tree = new Tree(entries);
  const leaf = tree.latestLeaf();
  if (leaf === undefined) return [];
  const chain = tree.chainTo(leaf);
  const other = lastLeaf === undefined ? undefined : tree.get(lastLeaf);
  // The CLI records its last entry, which may be on an older branch.
  const chosen = other === undefined || chain.includes(other) ? chain : tree.chainTo(other);
  return tree.withParallelBlocks(chosen);
}

/** Maximum number of compactions to undo. Each takes a pass over the entries before it. */
const MOST_COMPACTIONS = 500;

/** The resumed chain together with the entries removed by compactions. */
export function wholeChain(transcript: Transcript, most: number = MOST_COMPACTIONS): Entry[] {
  const chain = resumedChain(transcript);
  const [first] = chain;
  const from = first?.compaction?.follows;
  if (first === undefined || from === undefined || most === 0) return chain;
  const cut = transcript.entries.findIndex(({ uuid }) => uuid === first.uuid);
  const kept = new Set(chain.map(({ uuid }) => uuid));
  const before = wholeChain({ entries: transcript.entries.slice(0, cut), lastLeaf: from }, most - 1);
  return [...before.filter(({ uuid }) => !kept.has(uuid)), ...chain];
}

/** Links the entries to their parents. */
class Tree {
  /** In the order of the first occurrence of each uuid. */
  readonly #entries = new Map<string, Entry>();
  readonly #parents = new Map<string, string | null>();

  constructor(entries: readonly Entry[]) {
    for (const entry of entries) this.#entries.set(entry.uuid, entry);
    let previous: string | null = null;
    for (const { uuid, parent } of this.#entries.values()) {
      // The line of a missing parent was broken: use the previous entry instead.
      this.#parents.set(uuid, parent === null || this.#entries.has(parent) ? parent : previous);
      previous = uuid;
    }
    this.#applyCompaction();
  }

  get(uuid: string): Entry | undefined {
    return this.#entries.get(uuid);
  }

  /** The last entry without a successor; the last entry of all if there is a cycle. */
  latestLeaf(): Entry | undefined {
    const parents = new Set(this.#parents.values());
    const candidates = [...this.#entries.values()].filter(({ type }) => type !== 'progress');
    return candidates.findLast(({ uuid }) => !parents.has(uuid)) ?? candidates.at(-1);
  }

  chainTo(leaf: Entry): Entry[] {
    const chain = new Set<Entry>();
    for (let at: Entry | undefined = leaf; at !== undefined && !chain.has(at); at = this.#parentOf(at)) chain.add(at);
    return [...chain].reverse();
  }

  /**
   * Adds the results of parallel tool calls. The blocks of one answer form a chain, but each result follows its own block: a walk
   * along the parents finds only one of them.
   */
  withParallelBlocks(chain: readonly Entry[]): Entry[] {
    const onChain = new Set(chain);
    const answered = new Set(chain.map(({ toolCall }) => toolCall));
    const lastOf = new Map<string, Entry>();
    for (const entry of chain) if (entry.answer !== undefined) lastOf.set(entry.answer, entry);
    const missed = new Map<Entry, { blocks: Entry[]; results: Entry[] }>();
    for (const entry of this.#entries.values()) {
      const isResult = entry.toolCall !== undefined && !answered.has(entry.toolCall);
      const answer = entry.answer ?? (isResult ? this.#parentOf(entry)?.answer : undefined);
      const last = answer === undefined || onChain.has(entry) ? undefined : lastOf.get(answer);
      if (last === undefined) continue;
      const found = missed.get(last) ?? { blocks: [], results: [] };
      (isResult ? found.results : found.blocks).push(entry);
      missed.set(last, found);
    }
    return chain.flatMap((entry) => {
      const { blocks = [], results = [] } = missed.get(entry) ?? {};
      return [entry, ...blocks, ...results];
    });
  }

  #parentOf({ uuid }: Entry): Entry | undefined {
    const parent = this.#parents.get(uuid);
    return parent == null ? undefined : this.#entries.get(parent);
  }

  /** Moves the entries kept by the last compaction between its summary and the later entries. */
  #applyCompaction(): void {
    const boundary = [...this.#entries.values()].findLast(({ compaction }) => compaction !== undefined);
    if (boundary?.compaction?.anchor === undefined || !this.#entries.has(boundary.compaction.anchor)) return;
    const { anchor } = boundary.compaction;
    const kept = this.#keptBy(boundary.compaction);
    const tail = kept.at(-1);
    if (tail === undefined) return;
    const order = [...this.#entries.keys()];
    const cut = new Set(order.slice(0, order.indexOf(boundary.uuid)));
    const isKept = new Set(kept);
    for (const [uuid, parent] of this.#parents) {
      const orphaned = parent === anchor || (parent !== null && cut.has(parent) && !isKept.has(parent));
      if (orphaned && !cut.has(uuid)) this.#parents.set(uuid, tail);
    }
    for (const [index, uuid] of kept.entries()) this.#parents.set(uuid, kept[index - 1] ?? anchor);
  }

  #keptBy({ kept, keptSpan }: Compaction): string[] {
    const known = kept.filter((uuid) => this.#entries.has(uuid));
    if (known.length > 0 || keptSpan === undefined) return known;
    const [head, tail] = keptSpan.map((uuid) => this.#entries.get(uuid));
    if (head === undefined || tail === undefined) return [];
    const chain = this.chainTo(tail);
    const from = chain.indexOf(head);
    return from === -1 ? [] : chain.slice(from).map(({ uuid }) => uuid);
  }
}
