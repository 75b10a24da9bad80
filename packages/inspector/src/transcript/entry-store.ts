import { Buffer } from 'node:buffer';
import type { Entry } from '../api.ts';
import { FilePart, type Place } from './file-part.ts';

/** How much of a transcript stays in memory; the rest is in a file. */
export interface StoreLimits {
  readonly hotEntries: number;
  readonly hotBytes: number;
}

const DEFAULTS: StoreLimits = { hotEntries: 400, hotBytes: 256 * 1024 };

/**
 * The entries of one conversation by number, and the full texts of their cuts. The newest stay in memory, the
 * others move to a private, unlinked file, which disappears however the process ends.
 */
export class EntryStore {
  readonly #limits: StoreLimits;
  /** Entries in memory, the most recently changed last. */
  readonly #hot = new Map<number, { readonly entry: Entry; readonly weight: number }>();
  #hotBytes = 0;
  /** Positions of the others in the file, by number. */
  readonly #places: (Place | undefined)[] = [];
  readonly #parts: Place[] = [];
  readonly #file = new FilePart();

  constructor(limits: StoreLimits = DEFAULTS) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#places.length;
  }

  /** Adds an entry with the next number, or replaces one. */
  put(entry: Entry): void {
    const { n } = entry;
    if (n > this.total) throw new RangeError(`Entry ${n} comes after ${this.total} entries.`);
    const before = this.#hot.get(n);
    const weight = weightOf(entry);
    this.#hotBytes += weight - (before?.weight ?? 0);
    if (before) this.#hot.delete(n);
    this.#hot.set(n, { entry, weight });
    if (n === this.total) this.#places.push(undefined);
    if (this.#hot.size > this.#limits.hotEntries || this.#hotBytes > this.#limits.hotBytes) this.#spill();
  }

  get(n: number): Entry | undefined {
    const place = this.#places[n];
    return this.#hot.get(n)?.entry ?? (place && entryAt(this.#file.read(place)));
  }

  /** A range of entries, in order. */
  window(from: number, limit: number): Entry[] {
    const entries: Entry[] = [];
    for (let n = from; n < Math.min(from + limit, this.total); n += 1) {
      const entry = this.get(n);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Stores a text and returns its number. */
  keepPart(text: string): number {
    this.#parts.push(this.#file.append(Buffer.from(text)));
    return this.#parts.length - 1;
  }

  part(number: number): Buffer | undefined {
    const place = this.#parts[number];
    return place && this.#file.read(place);
  }

  /** Removes everything: the transcript was replaced. */
  clear(): void {
    this.#hot.clear();
    this.#hotBytes = 0;
    this.#places.length = 0;
    this.#parts.length = 0;
    this.#file.clear();
  }

  /** Moves half of the entries to the file in one write, the least recently changed first. */
  #spill(): void {
    const lines: { readonly n: number; readonly line: Buffer }[] = [];
    const keep = Math.floor(this.#limits.hotEntries / 2);
    for (const [n, { entry, weight }] of this.#hot) {
      if (this.#hot.size <= 1 || (this.#hot.size <= keep && this.#hotBytes <= this.#limits.hotBytes / 2)) break;
      this.#hot.delete(n);
      this.#hotBytes -= weight;
      lines.push({ n, line: Buffer.from(JSON.stringify(entry)) });
    }
    let { offset } = this.#file.append(Buffer.concat(lines.map(({ line }) => line)));
    for (const { n, line } of lines) {
      this.#places[n] = { offset, length: line.length };
      offset += line.length;
    }
  }
}

function entryAt(line: Buffer): Entry | undefined {
  // Written by `#spill`.
  return line.length === 0 ? undefined : (JSON.parse(line.toString()) as Entry);
}

/** The approximate size of an entry in memory. */
function weightOf(entry: Entry): number {
  const head = 600;
  switch (entry.kind) {
    case 'prompt':
    case 'text':
    case 'thinking':
      return head + entry.text.text.length;
    case 'tool': {
      const lines = entry.diff?.hunks.reduce((sum, hunk) => sum + hunk.lines.join('').length, 0) ?? 0;
      return 2 * head + entry.input.text.length + (entry.result?.text.length ?? 0) + lines;
    }
    case 'system':
      return head + entry.text.length + (entry.detail?.text.length ?? 0);
    case 'warning':
    case 'error':
      return head + entry.message.length + (entry.detail?.text.length ?? 0);
    default:
      return head;
  }
}
