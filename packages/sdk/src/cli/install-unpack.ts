import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';

/**
 * Unpacks the wanted files of an npm tarball in one pass and skips all others. Returns the tarball's own hash in npm's
 * notation, and the sha512 of each file found.
 */
export async function unpack(
  tarball: string,
  wanted: ReadonlyMap<string, string>,
  onBytes: (read: number) => void,
  signal: AbortSignal | undefined,
): Promise<{ integrity: string; files: ReadonlyMap<string, string> }> {
  const whole = createHash('sha512');
  const source = createReadStream(tarball, { highWaterMark: 1024 * 1024 });
  const gunzip = createGunzip({ chunkSize: 256 * 1024 });
  let read = 0;
  source.on('data', (chunk) => {
    whole.update(chunk);
    read += chunk.length;
    onBytes(read);
  });
  source.on('error', (error) => gunzip.destroy(error));
  source.pipe(gunzip);
  try {
    const files = await takeFiles(new ByteReader(gunzip, signal), wanted);
    // The hash covers the whole file, including bytes after the end of the archive.
    if (!source.readableEnded) await once(source, 'end');
    return { integrity: `sha512-${whole.digest('base64')}`, files };
  } finally {
    source.destroy();
    gunzip.destroy();
  }
}

const BLOCK = 512;

async function takeFiles(bytes: ByteReader, wanted: ReadonlyMap<string, string>): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (;;) {
    const header = await bytes.take(BLOCK);
    // An empty block ends the archive.
    if (header === undefined || header[0] === 0) break;
    const { name, size, isFile } = parseHeader(header);
    const target = isFile ? wanted.get(name) : undefined;
    if (target === undefined) await bytes.skip(size);
    else files.set(name, await writeTo(target, bytes.body(size)));
    await bytes.skip((BLOCK - (size % BLOCK)) % BLOCK);
  }
  await bytes.rest();
  return files;
}

function parseHeader(header: Buffer): { name: string; size: number; isFile: boolean } {
  const text = (from: number, to: number): string => header.toString('utf8', from, to).replace(/\0.*$/s, '');
  const prefix = text(345, 500);
  const size = Number.parseInt(text(124, 136).trim() || '0', 8);
  if (!Number.isSafeInteger(size)) throw new Error('the archive contains a file with an invalid size');
  const type = header[156];
  return { name: prefix ? `${prefix}/${text(0, 100)}` : text(0, 100), size, isFile: type === 0 || type === 0x30 };
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

  async skip(length: number): Promise<void> {
    for await (const _ of this.body(length));
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
