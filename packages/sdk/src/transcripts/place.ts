import { type Dirent, realpathSync } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { homeFolder } from '../cli/usual-places.ts';
import { SessionFileError, SessionNotFoundError } from '../errors/transcript.ts';
import { isSessionId, projectFolderName } from './project-folder.ts';

/** Where sessions are looked for. */
export interface SessionPlace {
  /** Only among those of this working directory; in all projects when left out. */
  readonly cwd?: string | undefined;
  /** The CLI's configuration directory: `CLAUDE_CONFIG_DIR`, else `~/.claude`. */
  readonly configDir?: string | undefined;
}

/** Where the files of one session lie. */
export interface SessionFile {
  readonly id: string;
  /** The transcript. */
  readonly path: string;
  /** What belongs to it: subagents, large results, its name. */
  readonly folder: string;
  readonly hasFolder: boolean;
  readonly configDir: string;
}

/** The CLI's configuration directory; undefined when there is no home to find it in. */
function configFolder({ configDir }: SessionPlace): string | undefined {
  if (configDir !== undefined) return resolve(configDir);
  const named = process.env.CLAUDE_CONFIG_DIR;
  if (named) return resolve(named);
  const home = homeFolder(process.env, process.platform);
  return home === undefined ? undefined : join(home, '.claude');
}

/** The folders of the projects that are asked for and exist. @throws SessionFileError */
export async function projectFolders(place: SessionPlace): Promise<string[]> {
  const config = configFolder(place);
  if (config === undefined) return [];
  const projects = join(config, 'projects');
  if (place.cwd !== undefined) {
    const folder = join(projects, projectFolderName(realCwd(place.cwd)));
    return (await isFolder(folder)) ? [folder] : [];
  }
  // A link is never followed: it could lead anywhere.
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

/** What is in a folder; nothing if it does not exist. @throws SessionFileError */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isMissing(error)) return [];
    throw new SessionFileError('Reading', folder, error);
  }
}

/** True for the error of a file that does not exist. */
function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function sessionFile(project: string, id: string, hasFolder: boolean): SessionFile {
  const configDir = join(project, '../..');
  return { id, path: join(project, `${id}.jsonl`), folder: join(project, id), hasFolder, configDir };
}

/** True for a folder that is no link. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

/** The CLI goes by the real path; a directory that is gone may still have sessions. */
function realCwd(cwd: string): string {
  try {
    return realpathSync(cwd);
  } catch {
    return resolve(cwd);
  }
}
