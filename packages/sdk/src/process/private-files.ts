import {
  closeSync,
  constants,
  existsSync,
  ftruncateSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@coxswain/shared/running-process';
import { reasonOf } from '../errors/base.ts';
import { SpawnError } from '../errors/start.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import { atHostExit, withSpareDescriptors } from './exit-hook.ts';
import type { PrivateFile, StartRequest } from './transport.ts';

/** Private files, ready for one child. */
export interface PassedFiles {
  /** The command line with the paths in their places. */
  readonly argv: readonly string[];
  /** Descriptors the child inherits as 3, 4, … */
  readonly descriptors: readonly number[];
  /** Call it when the child has read them, or is gone: removes them from disk. May be called again. */
  remove(): void;
}

/** `inherited`: files without a name, passed as descriptors. `folder`: files in a folder that only this user may enter. */
export type PassingWay = 'inherited' | 'folder';

/** Writes the request's private files so that only the child can read them. @throws SpawnError */
export function passPrivateFiles(
  request: Pick<StartRequest, 'argv' | 'privateFiles'>,
  warn: (warning: Warning) => void,
  way?: PassingWay,
): PassedFiles {
  const { argv, privateFiles } = request;
  if (privateFiles.length === 0) return { argv, descriptors: [], remove() {} };
  try {
    const inherit = (way ?? bestWay(privateFiles)) === 'inherited';
    const { paths, ...passed } = inherit ? inherited(privateFiles) : inFolder(privateFiles, warn);
    const pathAt = new Map(privateFiles.map(({ argvIndex }, index) => [argvIndex, paths[index]]));
    return { ...passed, argv: argv.map((argument, index) => pathAt.get(index) ?? argument) };
  } catch (cause) {
    throw unwritable(`(${privateFiles.map(({ name }) => name).join(', ')})`, cause, argv[0]);
  }
}

/** The error for private files, here described, that could not be written. */
export function unwritable(which: string, cause: unknown, path = ''): SpawnError {
  return new SpawnError(
    `The private files of the CLI ${which} could not be written below ${tmpdir()}: ${reasonOf(cause)}. Free space there, or point TMPDIR to a writable folder.`,
    { reason: 'private-file', path, cause },
  );
}

/** Only Linux opens `/dev/fd/3` as the file itself, from its beginning; elsewhere it is a copy of the descriptor. */
function bestWay(files: readonly PrivateFile[]): PassingWay {
  const nameless = files.every(({ named }) => !named);
  return nameless && process.platform === 'linux' && existsSync('/dev/fd') ? 'inherited' : 'folder';
}

/** Private files that were written; the paths are those for the child, in the order of the files. */
type Written = Omit<PassedFiles, 'argv'> & { readonly paths: readonly string[] };

function inherited(files: readonly PrivateFile[]): Written {
  const folder = makeFolder();
  const open: number[] = [];
  const remove = (): void => {
    for (const descriptor of open.splice(0)) {
      // The child keeps its descriptor and passes it to every tool it starts; an empty file tells them nothing.
      ftruncateSync(descriptor);
      closeSync(descriptor);
    }
  };
  try {
    for (const file of files) open.push(writePrivate(folder, file));
  } catch (error) {
    remove();
    throw error;
  } finally {
    rmSync(folder, { recursive: true });
  }
  // After stdin, stdout and stderr.
  return { paths: files.map((_, index) => `/dev/fd/${3 + index}`), descriptors: [...open], remove };
}

/** A folder that only this user may enter. */
export interface PrivateFolder {
  readonly path: string;
  /** Removes it with everything in it. May be called again. */
  remove(): void;
}

/** Creates a private folder, which is removed at the latest when the host exits. */
export function privateFolder(warn: (warning: Warning) => void): PrivateFolder {
  sweepFolders();
  const path = makeFolder();
  const removeFolder = (): void => {
    try {
      // A CLI that was killed a moment ago may still be writing.
      withSpareDescriptors(() => rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 }));
    } catch (error) {
      const message = `${path} holds private files of the CLI and could not be removed: ${reasonOf(error)}. Remove it by hand.`;
      warn(warning('private-file-left', message, { folder: path }));
    }
  };
  const forget = atHostExit(removeFolder);
  // A host in another container that shares the temporary folder sees no process with this pid; it goes by the time.
  const inUse = setInterval(() => touch(path), STALE_MS / 4);
  inUse.unref();
  return {
    path,
    remove() {
      clearInterval(inUse);
      forget();
      removeFolder();
    },
  };
}

function touch(path: string): void {
  try {
    utimesSync(path, new Date(), new Date());
  } catch {
    // It was removed by hand.
  }
}

function inFolder(files: readonly PrivateFile[], warn: (warning: Warning) => void): Written {
  const { path: folder, remove } = privateFolder(warn);
  try {
    for (const file of files) closeSync(writePrivate(folder, file));
  } catch (error) {
    remove();
    throw error;
  }
  return { paths: files.map(({ name }) => join(folder, name)), descriptors: [], remove };
}

/** A folder in use is touched more often. A dead pid alone proves nothing: another container may share /tmp. */
const STALE_MS = 60 * 60_000;

/** `mkdtemp` creates it with mode 0700 and an unpredictable name; the sweep uses the pid in it. */
function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), `coxswain-${process.pid}-`));
}

/** Never opens an existing file: another user may have created it. */
function writePrivate(folder: string, file: PrivateFile): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
  const descriptor = openSync(join(folder, file.name), flags, 0o600);
  try {
    writeFileSync(descriptor, file.content);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return descriptor;
}

/** Removes the folders that dead hosts left behind. */
function sweepFolders(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = /^coxswain-(\d+)-\w+$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    try {
      const { uid, mtimeMs } = lstatSync(folder);
      const ours = process.getuid === undefined || uid === process.getuid();
      if (ours && Date.now() - mtimeMs > STALE_MS) rmSync(folder, { recursive: true, force: true });
    } catch {
      // Another host has removed it meanwhile.
    }
  }
}
