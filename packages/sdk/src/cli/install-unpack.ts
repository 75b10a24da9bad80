import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

/** The files unpacked from a tarball. */
export interface Unpacked {
  /** The tarball's own hash, in npm's notation. */
  readonly integrity: string;
  /** The wanted files that the tarball contains. */
  readonly files: ReadonlyMap<string, { readonly size: number; readonly sha512: string }>;
}

/** Unpacks the wanted files of an npm tarball in one pass and skips all others. */
export async function unpack(
  tarball: string,
  wanted: ReadonlyMap<string, string>,
  options: { signal?: AbortSignal | undefined; onBytes?: ((read: number) => void) | undefined } = {},
): Promise<Unpacked> {
  const whole = createHash('sha512');
  const source = createReadStream(tarball, { highWaterMark: 1024 * 1024 });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let read = 0;
  source.on('data', (chunk) => {
    whole.update(chunk);
    read += chunk.length;
    options.onBytes?.(read);
  });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    const files = await takeFiles(new ByteReader(gunzip, options.signal), wanted);
    // The hash covers the whole file, also bytes after the end of the archive.
    if (!source.readableEnded) await once(source, 'end');
    return { integrity: `sha512-${whole.digest('base64')}`, files };
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

const BLOCK = 512;

async function takeFiles(bytes: ByteReader, wanted: ReadonlyMap<string, string>): Promise<Unpacked['files']> {
  const files = new Map<string, { size: number; sha512: string }>();
  for (;;) {
    const header = await bytes.take(BLOCK);
    // An empty block ends the archive.
    if (header === undefined || header[0] === 0) break;
    const { name, size, isFile } = parseHeader(header);
    const target = isFile ? wanted.get(name) : undefined;
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    if (target === undefined) await drain(bytes.body(size));
    else files.set(name, { size, sha512: await writeTo(target, bytes.body(size)) });
    await drain(bytes.body(padding));
  }
  await bytes.rest();
  return files;
}

function parseHeader(header: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (from: number, to: number): string => header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const prefix = text(345, 500);
  const size = Number.parseInt(text(124, 136).trim() || '0', 8);
  if (!Number.isSafeInteger(size)) throw new Error('the archive has a file of unreadable size');
  const type = header[156];
  return { name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100), size, isFile: type === 0 || type === 0x30 };
}

async function drain(body: AsyncIterable<Buffer>): Promise<void> {
  for await (const _ of body);
}

async function writeTo(target: string, body: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha512');
  const file = await open(target, 'wx', 0o600);
  try {
    for await (const chunk of body) {
      hash.update(chunk);
      await file.writeFile(chunk);
    }
    // The rename completes the install, so the bytes must be on disk before it.
    await file.datasync();
  } finally {
    await file.close();
  }
  return hash.digest('base64');
}

/** Reads a stream of chunks by length. */
class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #signal: AbortSignal | undefined;
  #left: Buffer = Buffer.alloc(0);

  constructor(stream: AsyncIterable<Buffer>, signal: AbortSignal | undefined) {
    this.#chunks = stream[Symbol.asyncIterator]();
    this.#signal = signal;
  }

  /** Exactly `length` bytes; undefined at the end of the stream. */
  async take(length: number): Promise<Buffer | undefined> {
    const parts: Buffer[] = [];
    if (this.#left.length === 0 && !(await this.#refill())) return undefined;
    for await (const part of this.body(length)) parts.push(part);
    return Buffer.concat(parts);
  }

  async *body(length: number): AsyncGenerator<Buffer> {
    for (let missing = length; missing > 0; ) {
      if (this.#left.length === 0 && !(await this.#refill())) throw new Error('the archive ends too early');
      const part = this.#left.subarray(0, missing);
      this.#left = this.#left.subarray(part.length);
      missing -= part.length;
      yield part;
    }
  }

  async rest(): Promise<void> {
    while (await this.#refill());
  }

  async #refill(): Promise<boolean> {
    this.#signal?.throwIfAborted();
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#left = next.value;
    return true;
  }
}
