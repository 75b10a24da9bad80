import type { Dirent } from 'node:fs';
import { type FileHandle, lstat, readdir, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { checkFolders, listFolder, makeFolders } from '../files/real-folders.ts';
import { openRegular, readRegular, replaceRegular } from '../files/regular-file.ts';
import { isJsonObject, objectIn } from '../wire/kinds.ts';
import type { MemoryStore } from './memory-store.ts';
import { type SessionKey, type StoredSession, type StoreEntry, unseen } from './session-store.ts';

/** A store in a folder. On a shared volume, several machines can use it. */
export interface FileStore extends MemoryStore {}

/** The format of a batch: a single line, so that a crash leaves either the whole batch or nothing readable. */
interface BatchLine {
  readonly batch: string | null;
  readonly entries: readonly StoreEntry[];
}

const EXTENSION = '.jsonl';

/** The longest string that JavaScript can hold. */
const LONGEST_FILE = 512 * 1024 * 1024;

/**
 * Opens a store in a folder, which is created with the first entries. Transcripts are append-only JSONL files, readable only
 * by this user; `append` resolves when the entries are on disk.
 */
export function fileStore(folder: string): FileStore {
  const root = resolve(folder);
  const projectPath = (projectKey: string): string => join(root, fileName(projectKey));
  const basePath = ({ projectKey, sessionId }: SessionKey): string =>
    join(projectPath(projectKey), fileName(sessionId));
  const transcriptPath = (key: SessionKey): string =>
    key.subpath === undefined ? `${basePath(key)}${EXTENSION}` : `${nested(basePath(key), key.subpath)}${EXTENSION}`;
  const blobPath = (key: SessionKey, name: string): string => nested(`${basePath(key)}.blobs`, name);
  return {
    async append(key, entries, batch) {
      const line: BatchLine = { batch: batch?.id ?? null, entries };
      await appendLine(transcriptPath(key), root, JSON.stringify(line));
    },
    async load(key) {
      const data = await missingAs(null, readRegular(transcriptPath(key), root, LONGEST_FILE));
      return data === null ? null : entriesIn(data.toString('utf8'));
    },
    async listSessions(projectKey) {
      const path = projectPath(projectKey);
      const found = await missingAs([], listFolder(path, root));
      const sessions = found.filter((entry) => entry.isFile() && entry.name.endsWith(EXTENSION));
      const listed = sessions.map(async ({ name }): Promise<StoredSession[]> => {
        const sessionId = originalName(name.slice(0, -EXTENSION.length));
        const { mtimeMs } = await lstat(join(path, name));
        return sessionId === undefined ? [] : [{ sessionId, mtime: Math.floor(mtimeMs) }];
      });
      return (await Promise.all(listed)).flat();
    },
    async delete(key) {
      if (key.subpath !== undefined) return rm(transcriptPath(key), { force: true });
      // Remove the transcript last, so that a deletion that failed half-way can be repeated.
      for (const path of [`${basePath(key)}.blobs`, basePath(key), transcriptPath(key)]) {
        await rm(path, { recursive: true, force: true });
      }
    },
    async listSubkeys(key) {
      const files = await filesBelow(basePath(key), root);
      return files.flatMap((name) => (name.endsWith(EXTENSION) ? [name.slice(0, -EXTENSION.length)] : []));
    },
    blobs: {
      put: (key, name, data) => replaceRegular(blobPath(key, name), root, data),
      get: async (key, name) => missingAs(null, readRegular(blobPath(key, name), root, LONGEST_FILE)),
      list: (key) => filesBelow(`${basePath(key)}.blobs`, root),
    },
  };
}

/** Skips incomplete lines, which were never confirmed, and counts a batch that was written twice once. */
function entriesIn(text: string): StoreEntry[] {
  const seen = new Set<string>();
  return text.split('\n').flatMap((line): readonly StoreEntry[] => {
    const read = parsed(line);
    return read ? unseen(read.entries, read.batch === null ? undefined : { id: read.batch }, seen) : [];
  });
}

function parsed(line: string): BatchLine | undefined {
  const value = line === '' ? undefined : objectIn(line);
  if (!Array.isArray(value?.entries)) return undefined;
  return { batch: typeof value.batch === 'string' ? value.batch : null, entries: value.entries.filter(isJsonObject) };
}

async function appendLine(path: string, root: string, line: string): Promise<void> {
  await makeFolders(dirname(path), root);
  const file = await openRegular(path, root, 'append-or-create');
  try {
    // Start a new line: a writer that was killed may have left an incomplete line.
    await writeAll(file, Buffer.from(`\n${line}\n`));
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Uses a single write, so that the writes of several processes do not mix. @throws if the disk accepts only part of it */
async function writeAll(file: FileHandle, data: Buffer): Promise<void> {
  const { bytesWritten } = await file.write(data);
  if (bytesWritten !== data.length) throw new Error(`only ${bytesWritten} of ${data.length} bytes were written`);
}

/** The original names of all files below a folder, relative to it, without files that this store did not create. */
async function filesBelow(folder: string, root: string): Promise<string[]> {
  const listed = checkFolders(folder, root).then(() => readdir(folder, { withFileTypes: true, recursive: true }));
  const entries = await missingAs<Dirent[]>([], listed);
  return entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .split(sep)
        .map(originalName),
    )
    .filter((names) => !names.includes(undefined))
    .map((names) => names.join('/'))
    .sort();
}

function nested(folder: string, name: string): string {
  return join(folder, ...name.split('/').map(fileName));
}

/** Escapes a name so that it cannot leave its folder on any system; letters, digits, `-` and `_` stay readable. */
function fileName(name: string): string {
  const escaped = (text: string): string =>
    Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  // A leading dot marks a draft.
  return name.replace(/[^\w.@-]+|^\.+|\.+$/g, escaped) || '%';
}

/** The name before escaping; undefined for a name that this store did not create. */
function originalName(name: string): string | undefined {
  if (name === '%') return '';
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}

async function missingAs<T>(instead: T, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) {
      return instead;
    }
    throw error;
  }
}
