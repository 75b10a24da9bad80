import { isObject } from '@coxswain/shared/is-object';
import { WorkspaceError } from '../errors.ts';

/** Where the files of conversations are stored: blobs by the SHA-256 of their content, and a list of files for each conversation. */
export interface ArchiveStore {
  /** Returns which of these blobs are not stored. The others must remain for at least a day. */
  missing(hashes: readonly string[]): Promise<readonly string[]>;
  putBlob(hash: string, bytes: Uint8Array): Promise<void>;
  getBlob(hash: string): Promise<Uint8Array | undefined>;
  readTree(key: string): Promise<ArchiveTree | undefined>;
  /** Replaces the list of a conversation, all at once; returns false, and changes nothing, if the stored one has a later epoch. */
  writeTree(key: string, tree: ArchiveTree): Promise<boolean>;
}

/** An archive from which files can be removed. */
export interface PrunableArchive extends ArchiveStore {
  /** Removes the files of these conversations, and contents that no conversation has used for a day. */
  prune(options?: { readonly keys?: readonly string[] | undefined }): Promise<void>;
}

/** The files of a conversation. */
export interface ArchiveTree {
  /** The claim of the conversation that saved them. */
  readonly epoch: number;
  readonly files: readonly ArchiveFile[];
}

/** One file, folder or symbolic link; `path` is relative, with slashes. */
export type ArchiveFile =
  | { readonly path: string; readonly kind: 'folder' }
  | { readonly path: string; readonly kind: 'file'; readonly hash: string; readonly executable: boolean }
  | { readonly path: string; readonly kind: 'link'; readonly target: string };

/** Checks a list that comes from a store: nothing in it may be written outside of the folder of the conversation. @throws WorkspaceError */
export function checkedTree(value: unknown): ArchiveTree {
  const epoch = isObject(value) ? value.epoch : undefined;
  if (!isObject(value) || typeof epoch !== 'number' || !Number.isSafeInteger(epoch) || !Array.isArray(value.files))
    throw new WorkspaceError('The stored list of files is damaged.');
  const folders = new Set(['']);
  const seen = new Set<string>();
  const files = value.files.map((file: unknown) => {
    // A folder precedes what is in it, so nothing is written through a link.
    if (!isFile(file) || !isInside(file.path) || seen.has(file.path) || !folders.has(parentOf(file.path))) {
      const damaged = isObject(file) ? (file.path ?? file) : file;
      throw new WorkspaceError(
        `The stored list of files is damaged at ${String(JSON.stringify(damaged)).slice(0, 200)}.`,
      );
    }
    seen.add(file.path);
    if (file.kind === 'folder') folders.add(file.path);
    return file;
  });
  return { epoch, files };
}

function isFile(value: unknown): value is ArchiveFile {
  if (!isObject(value) || typeof value.path !== 'string') return false;
  if (value.kind === 'folder') return true;
  if (value.kind === 'link') return typeof value.target === 'string' && !value.target.includes('\0');
  const isHash = typeof value.hash === 'string' && /^[0-9a-f]{64}$/.test(value.hash);
  return value.kind === 'file' && isHash && typeof value.executable === 'boolean';
}

function isInside(path: string): boolean {
  if (path.includes('\0') || path.includes('\\')) return false;
  return path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
