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
  /** The command line, including the paths of the files. */
  readonly argv: readonly string[];
  /** Descriptors that the child inherits as 3, 4, … */
  readonly descriptors: readonly number[];
  /** The folders of the files that have a name. */
  readonly folders: readonly string[];
  /** Removes the files that the child does not read again. Call it when the child has read them. */
  read(): void;
  /** Removes all files from disk. Call it when the child has exited; may be called again. */
  remove(): void;
}

/** `inherited`: unnamed files, passed as descriptors. `folder`: files in a folder that only this user can access. */
export type PassingWay = 'inherited' | 'folder';

/** Writes the request's private files so that only the child can read them. @throws SpawnError */
export function passPrivateFiles(
  request: Pick<StartRequest, 'argv' | 'privateFiles'>,
  warn: (warning: Warning) => void,
  way?: PassingWay,
): PassedFiles {
  const { argv, privateFiles } = request;
  if (privateFiles.length === 0) return { argv, descriptors: [], folders: [], read() {}, remove() {} };
  const named = privateFiles.filter((file) => (way ?? bestWay(file)) === 'folder');
  const nameless = privateFiles.filter((file) => !named.includes(file));
  const written: Written[] = [];
  const remove = (): void => {
    for (const group of written) group.remove();
  };
  try {
    if (nameless.length > 0) written.push(inherited(nameless));
    if (named.length > 0) written.push(inFolder(named, warn));
  } catch (cause) {
    remove();
    throw unwritable(`(${privateFiles.map(({ name }) => name).join(', ')})`, cause, argv[0]);
  }
  const paths = written.flatMap((group) => group.paths);
  const pathAt = new Map([...nameless, ...named].map(({ argvIndex }, index) => [argvIndex, paths[index]]));
  return {
    argv: argv.map((argument, index) => pathAt.get(index) ?? argument),
    descriptors: written.flatMap(({ descriptors }) => descriptors),
    folders: written.flatMap(({ folders }) => folders),
    read() {
      for (const group of written) group.read();
    },
    remove,
  };
}

/** The error for private files that could not be written; `which` describes them. */
export function unwritable(which: string, cause: unknown, path = ''): SpawnError {
  return new SpawnError(
    `The private files of the CLI ${which} could not be written below ${tmpdir()}: ${reasonOf(cause)}. Free space there, or point TMPDIR to a writable folder.`,
    { reason: 'private-file', path, cause },
  );
}

/** Only Linux opens `/dev/fd/3` as the file itself, from its start; other systems duplicate the descriptor. */
function bestWay({ named, reread }: PrivateFile): PassingWay {
  const isNamed = named === true || reread === true;
  return !isNamed && process.platform === 'linux' && existsSync('/dev/fd') ? 'inherited' : 'folder';
}

/** Written private files. The paths are for the child, in the order of the files. */
type Written = Omit<PassedFiles, 'argv'> & { readonly paths: readonly string[] };

function inherited(files: readonly PrivateFile[]): Written {
  const folder = makeFolder();
  const open: number[] = [];
  const remove = (): void => {
    for (const descriptor of open.splice(0)) {
      // The child keeps its descriptor and passes it to every tool it starts, so the file is emptied.
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
  return {
    paths: files.map((_, index) => `/dev/fd/${3 + index}`),
    descriptors: [...open],
    folders: [],
    read: remove,
    remove,
  };
}

/** A folder that only this user can access. */
export interface PrivateFolder {
  readonly path: string;
  /** Removes the folder and its content. May be called again. */
  remove(): void;
}

/** Creates a private folder, which is removed at the latest when the host exits. */
export function privateFolder(warn: (warning: Warning) => void): PrivateFolder {
  sweepFolders();
  const path = makeFolder();
  const removeFolder = (): void => {
    try {
      // A CLI that was just killed may still be writing.
      withSpareDescriptors(() => rmSync(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 20 }));
    } catch (error) {
      const message = `${path} holds private files of the CLI and could not be removed: ${reasonOf(error)}. Remove it by hand.`;
      warn(warning('private-file-left', message, { folder: path }));
    }
  };
  const forget = atHostExit(removeFolder);
  // A host in another container with the same temporary folder cannot see this pid, so it checks the time.
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
    // The folder was removed by hand.
  }
}

function inFolder(files: readonly PrivateFile[], warn: (warning: Warning) => void): Written {
  const { path: folder, remove } = privateFolder(warn);
  const read = (): void => {
    if (files.every(({ reread }) => !reread)) return remove();
    for (const { name, reread } of files) if (!reread) rmSync(join(folder, name), { force: true });
  };
  try {
    for (const file of files) closeSync(writePrivate(folder, file));
  } catch (error) {
    remove();
    throw error;
  }
  return { paths: files.map(({ name }) => join(folder, name)), descriptors: [], folders: [folder], read, remove };
}

/** Age of an abandoned folder; a folder in use is touched more often. A dead pid does not suffice: containers may share /tmp. */
const STALE_MS = 60 * 60_000;

/** `mkdtemp` uses mode 0700 and an unpredictable name. The sweep uses the pid in the name. */
function makeFolder(): string {
  return mkdtempSync(join(tmpdir(), `coxswain-${process.pid}-`));
}

/** Does not open an existing file: another user may have created it. */
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

/** Removes the folders of dead hosts. */
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
      // Another host removed it meanwhile.
    }
  }
}
