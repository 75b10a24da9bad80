import { Buffer } from 'node:buffer';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A position in a part of the file. */
export interface Place {
  readonly offset: number;
  readonly length: number;
}

/** Size of the pages that a part allocates. */
const PAGE = 64 * 1024;

/**
 * A part of the file that holds all transcripts of this process. A file for each transcript would use one descriptor each,
 * and the host program has a limited number.
 */
export class FilePart {
  readonly #pages: number[] = [];
  #size = 0;

  append(bytes: Buffer): Place {
    const place = { offset: this.#size, length: bytes.length };
    while (this.#pages.length * PAGE < this.#size + bytes.length) this.#pages.push(FILE.allocatePage());
    this.#each(place, (from, to, position) => FILE.write(bytes.subarray(from, to), position));
    this.#size += bytes.length;
    return place;
  }

  /** The bytes at a place; empty after `clear`. */
  read(place: Place): Buffer {
    if (place.offset + place.length > this.#size) return Buffer.alloc(0);
    const bytes = Buffer.allocUnsafe(place.length);
    this.#each(place, (from, to, position) => FILE.read(bytes.subarray(from, to), position));
    return bytes;
  }

  clear(): void {
    FILE.freePages(this.#pages.splice(0));
    this.#size = 0;
  }

  /** Visits the pieces of a place, page by page: their range in its bytes, and the position in the file. */
  #each({ offset, length }: Place, visit: (from: number, to: number, position: number) => void): void {
    for (let from = 0; from < length; ) {
      const within = (offset + from) % PAGE;
      const to = Math.min(length, from + PAGE - within);
      visit(from, to, (this.#pages[Math.floor((offset + from) / PAGE)] ?? 0) * PAGE + within);
      from = to;
    }
  }
}

/** The file. It is in a private folder; both are removed as soon as the file is open, so it exists only while it is used. */
class PagedFile {
  #descriptor: number | undefined;
  #pages = 0;
  /** Pages that can be reused. */
  #free: number[] = [];

  allocatePage(): number {
    this.#descriptor ??= openUnnamed();
    return this.#free.pop() ?? this.#pages++;
  }

  freePages(pages: readonly number[]): void {
    this.#free = this.#free.concat(pages);
    if (this.#free.length < this.#pages || this.#descriptor === undefined) return;
    // The file is empty: closing it frees its disk space.
    closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#pages = 0;
    this.#free = [];
  }

  write(bytes: Buffer, position: number): void {
    for (let done = 0; this.#descriptor !== undefined && done < bytes.length; ) {
      done += writeSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
    }
  }

  read(bytes: Buffer, position: number): void {
    for (let done = 0; this.#descriptor !== undefined && done < bytes.length; ) {
      const read = readSync(this.#descriptor, bytes, done, bytes.length - done, position + done);
      if (read === 0) throw new Error('The file with the transcripts was truncated.');
      done += read;
    }
  }
}

const FILE = new PagedFile();

function openUnnamed(): number {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-inspector-'));
  try {
    return openSync(join(folder, 'entries'), 'wx+', 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
