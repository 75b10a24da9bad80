import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkOpened, makeFolders } from './real-folders.ts';

/** Do not follow links or wait for the other end of a FIFO. Windows has neither flag. */
const CAREFUL = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Purpose of an open file. `append` opens an existing file and allows reading its end. */
type Use = 'read' | 'append' | 'append-or-create' | 'create';

const FLAGS: Readonly<Record<Use, number>> = {
  read: constants.O_RDONLY,
  append: constants.O_RDWR | constants.O_APPEND,
  'append-or-create': constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
  create: constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL,
};

/**
 * Opens a regular file. Does not follow links below `root`, neither in place of the file nor of a folder above it, and refuses
 * FIFOs and devices. @throws the errors of the file system, and an error with the reason of a refusal
 */
export async function openRegular(path: string, root: string, use: Use = 'read'): Promise<FileHandle> {
  const file = await open(path, FLAGS[use] | CAREFUL, 0o600);
  try {
    await checkOpened(file, path, root);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Opens a regular file for reading without checking the folders. Synchronous, for many small reads. */
export function openRegularSync(path: string): number {
  const descriptor = openSync(path, FLAGS.read | CAREFUL);
  if (fstatSync(descriptor).isFile()) return descriptor;
  closeSync(descriptor);
  throw new Error('it is not a regular file');
}

/** Reads a regular file of at most `maxBytes`. @throws the errors of `openRegular`; FileTooLarge */
export async function readRegular(path: string, root: string, maxBytes: number): Promise<Buffer> {
  const file = await openRegular(path, root);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw new FileTooLarge(size, maxBytes);
    const data = Buffer.allocUnsafe(size);
    let length = 0;
    // The file may have been shortened meanwhile.
    for (let read = -1; read !== 0 && length < size; length += read) {
      ({ bytesRead: read } = await file.read(data, length, size - length, length));
    }
    return data.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** The file exceeds the size limit. */
export class FileTooLarge extends RangeError {
  readonly bytes: number;
  readonly limit: number;

  constructor(bytes: number, limit: number) {
    super(`it has ${bytes} bytes, more than ${limit}`);
    this.bytes = bytes;
    this.limit = limit;
  }
}

/** Creates a new file, accessible only to this user. @throws the errors of `openRegular` */
export async function createRegular(path: string, root: string, data: string | Uint8Array): Promise<void> {
  await makeFolders(dirname(path), root);
  const file = await openRegular(path, root, 'create');
  try {
    await file.writeFile(data);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Atomically creates or replaces a file, accessible only to this user. Replaces a link. @throws the errors of `openRegular` */
export async function replaceRegular(path: string, root: string, data: string | Uint8Array): Promise<void> {
  const draft = join(dirname(path), `.coxswain-${crypto.randomUUID()}`);
  try {
    await createRegular(draft, root, data);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => {});
    throw error;
  }
}
