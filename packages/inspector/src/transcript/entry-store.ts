import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry } from '../api.ts';

/** How much of a transcript stays in memory; the rest is in a file. */
export interface StoreLimits {
  readonly hotEntries: number;
  readonly hotBytes: number;
}

const DEFAULTS: StoreLimits = { hotEntries: 400, hotBytes: 256 * 1024 };

/**
 * The entries of one conversation by their numbers, and the whole of what was cut from them. The newest stay in memory, the
 * others move to a private file that has no name, so that nothing is left behind however the process ends.
 */
export class EntryStore {
  readonly #limits: StoreLimits;
  /** Entries in memory, those that changed last at the end. */
  readonly #hot = new Map<number, { readonly entry: Entry; readonly weight: number }>();
  #hotBytes = 0;
  /** Where the others are in the file, by number. */
  readonly #places: (Place | undefined)[] = [];
  readonly #parts: Place[] = [];
  readonly #file = new UnnamedFile();

  constructor(limits: StoreLimits = DEFAULTS) {
    this.#limits = limits;
  }

  get total(): number {
    return this.#places.length;
  }

  /** Adds an entry under the next number, or replaces one. */
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

  /** The entries of a window, in order. */
  window(from: number, limit: number): Entry[] {
    const entries: Entry[] = [];
    for (let n = from; n < Math.min(from + limit, this.total); n += 1) {
      const entry = this.get(n);
      if (entry) entries.push(entry);
    }
    return entries;
  }

  /** Keeps a text and returns its number. */
  keepPart(text: string): number {
    this.#parts.push(this.#file.append(Buffer.from(text)));
    return this.#parts.length - 1;
  }

  part(number: number): Buffer | undefined {
    const place = this.#parts[number];
    return place && this.#file.read(place);
  }

  /** Forgets everything: the transcript is another one now. */
  clear(): void {
    this.#hot.clear();
    this.#hotBytes = 0;
    this.#places.length = 0;
    this.#parts.length = 0;
    this.#file.close();
  }

  /** Moves half of the entries to the file, those that changed longest ago first, in one write. */
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

interface Place {
  readonly offset: number;
  readonly length: number;
}

/** A file in a private folder, both removed as soon as it is open: it exists as long as it is used. */
class UnnamedFile {
  #descriptor: number | undefined;
  #size = 0;

  append(bytes: Buffer): Place {
    this.#descriptor ??= openUnnamed();
    const place = { offset: this.#size, length: bytes.length };
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, this.#size + done);
    }
    this.#size += bytes.length;
    return place;
  }

  read({ offset, length }: Place): Buffer {
    const bytes = Buffer.allocUnsafe(length);
    let done = 0;
    while (this.#descriptor !== undefined && done < length) {
      const read = readSync(this.#descriptor, bytes, done, length - done, offset + done);
      if (read === 0) break;
      done += read;
    }
    return bytes.subarray(0, done);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#size = 0;
  }
}

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-inspector-'));
  try {
    return openSync(join(folder, 'entries'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function entryAt(line: Buffer): Entry | undefined {
  // Written by `#spill`.
  return line.length === 0 ? undefined : (JSON.parse(line.toString()) as Entry);
}

/** About what an entry takes in memory. */
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
