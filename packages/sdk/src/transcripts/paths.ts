import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { configFolder, projectFolderName } from '../cli/folders.ts';
import { systemCodeOf } from '../errors/base.ts';
import { SessionFileError, SessionNotFoundError } from '../errors/transcript.ts';
import type { SessionStore } from '../store/session-store.ts';
import { isSessionId } from '../wire/session-id.ts';

/** The location of sessions: on disk, or in a session store. */
export interface SessionPlace {
  /** The working directory of the sessions. Default: all projects. */
  readonly cwd?: string | undefined;
  /** The CLI's configuration directory. Default: `CLAUDE_CONFIG_DIR`, or else `~/.claude`. */
  readonly configDir?: string | undefined;
  /** A session store to use instead of the disk. */
  readonly store?: SessionStore | undefined;
  /** With `store`: the `projectKey` of its conversations, as in the option `storeProject`. Default: `default`. */
  readonly project?: string | undefined;
}

/** The files of one session. */
export interface SessionFile {
  readonly id: string;
  /** The transcript. */
  readonly path: string;
  /** The folder with its subagents, large results and title. */
  readonly folder: string;
  readonly hasFolder: boolean;
  readonly configDir: string;
}

/** The existing folders of the requested projects. @throws SessionFileError */
export async function projectFolders(place: SessionPlace): Promise<string[]> {
  const config = configFolder(place.configDir ? { CLAUDE_CONFIG_DIR: place.configDir } : process.env);
  if (config === undefined) return [];
  const projects = join(config, 'projects');
  if (place.cwd !== undefined) {
    const folder = join(projects, projectFolderName(place.cwd));
    return (await isFolder(folder)) ? [folder] : [];
  }
  // Do not follow links: they could lead anywhere.
  return (await entriesOf(projects)).filter((entry) => entry.isDirectory()).map(({ name }) => join(projects, name));
}

/** The transcripts in a project's folder. @throws SessionFileError */
export async function sessionFilesIn(folder: string): Promise<SessionFile[]> {
  const entries = await entriesOf(folder);
  const folders = new Set(entries.filter((entry) => entry.isDirectory()).map(({ name }) => name));
  return entries.flatMap((entry) => {
    const id = entry.name.endsWith('.jsonl') ? entry.name.slice(0, -'.jsonl'.length) : '';
    return entry.isFile() && isSessionId(id) ? [sessionFile(folder, id, folders.has(id))] : [];
  });
}

/** Finds a session by its id. @throws SessionNotFoundError, SessionFileError */
export async function findSession(id: string, place: SessionPlace): Promise<SessionFile> {
  const folders = await projectFolders(place);
  for (const folder of folders) {
    const file = sessionFile(folder, id, await isFolder(join(folder, id)));
    const found = await lstat(file.path).catch(() => undefined);
    if (found?.isFile()) return file;
  }
  throw new SessionNotFoundError(id, folders);
}

/** The error for a session without a file or without a conversation. @throws SessionFileError */
export async function notFound(id: string, place: SessionPlace): Promise<SessionNotFoundError> {
  return new SessionNotFoundError(id, await projectFolders(place));
}

/** Lists a folder; empty if it does not exist. @throws SessionFileError */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(systemCodeOf(error))) return [];
    throw new SessionFileError('Reading', folder, error);
  }
}

/** True for a folder, but not for a link to one. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

function sessionFile(project: string, id: string, hasFolder: boolean): SessionFile {
  const configDir = join(project, '../..');
  return { id, path: join(project, `${id}.jsonl`), folder: join(project, id), hasFolder, configDir };
}
