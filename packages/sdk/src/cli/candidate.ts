import {
  accessSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename } from 'node:path';
import { reasonOf } from '../errors/base.ts';

/** A file that can be started as the CLI. */
export interface Candidate {
  /** The real file, with every symbolic link followed. */
  readonly path: string;
  /** The path where it was found. */
  readonly foundAt: string;
  /** What to spawn. */
  readonly command: readonly string[];
  /** `native` is a binary that only an update changes; anything else may delegate to another program. */
  readonly kind: 'native' | 'script';
  readonly size: number;
  readonly mtimeMs: number;
}

/** Checks whether a file can be started; if not, returns the reason. */
export function examine(file: string, platform: string): Candidate | string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false });
    if (stats !== undefined) return examineExisting(file, stats, platform);
    const link = lstatSync(file, { throwIfNoEntry: false });
    return link?.isSymbolicLink() ? 'is a symbolic link to a missing file' : DOES_NOT_EXIST;
  } catch (error) {
    return `cannot be examined: ${reasonOf(error)}`;
  }
}

export const DOES_NOT_EXIST = 'does not exist';

function examineExisting(file: string, stats: Stats, platform: string): Candidate | string {
  if (stats.isDirectory()) return 'is a directory';
  if (!stats.isFile()) return 'is not a regular file';
  const path = realpathSync.native(file);
  if (/\.(cmd|bat|ps1)$/i.test(path)) {
    return 'is a shim that only a shell can start; use the claude.exe or cli.js that it calls';
  }
  const isNodeScript = /\.[cm]?js$/i.test(path);
  if (!isNodeScript && platform !== 'win32' && !isExecutable(path)) {
    return 'is not executable; make it so with chmod +x';
  }
  const { size, mtimeMs } = stats;
  const isShim = isMultiCallShim(file, path);
  const command = isNodeScript ? [process.execPath, path] : [isShim ? file : path];
  const kind = !isNodeScript && !isShim && isBinary(path) ? 'native' : 'script';
  return { path, foundAt: file, command, kind, size, mtimeMs };
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Version managers link `claude` to a program that selects the tool by the name it is called with, so the link is started. */
function isMultiCallShim(file: string, path: string): boolean {
  const name = basename(path);
  return name !== basename(file) && !/^(claude|\d+\.\d+\.\d+)/i.test(name);
}

/** ELF, Mach-O (either byte order, or universal) and PE files, by their first bytes. */
const MAGIC = /^(7f454c46|feedfac[ef]|c[ef]faedfe|cafebabe|4d5a)/;

function isBinary(path: string): boolean {
  const head = Buffer.alloc(4);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, head, 0, 4, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    // It may be executable but not readable.
  }
  return MAGIC.test(head.toString('hex'));
}
