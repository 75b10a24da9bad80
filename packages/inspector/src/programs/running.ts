import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldsOf, numberIn, textIn } from '../transcript/fields.ts';
import { type Announcement, programId } from './announce.ts';
import { announcementFolders, isPrivatePath } from './private-folder.ts';
import { isHolder } from './proof.ts';

/** A program of this user that has an inspector open. */
export interface RunningProgram extends Omit<Announcement, 'url' | 'token' | 'hasAuth'> {
  /** `<pid>-<port>`. */
  readonly id: string;
  /** The address to open, with a token in its fragment unless the program has a login of its own. Keep it to this user. */
  readonly url: string;
}

/** How many announcements are looked at, and how large one can be. */
const LIMITS = { files: 200, bytes: 16 * 1024 };

/** The programs of this user on this machine that have an inspector open, the newest first. Each has proven that it answers. */
export async function runningPrograms(): Promise<readonly RunningProgram[]> {
  const files = (await Promise.all(announcementFolders().map(filesIn))).flat().slice(0, LIMITS.files);
  const found = await Promise.all(files.map(programIn));
  return found.filter((program) => program !== undefined).sort((a, b) => b.startedAt - a.startedAt);
}

async function filesIn(folder: string): Promise<string[]> {
  if (!(await isPrivatePath(folder, 'folder'))) return [];
  const names = await readdir(folder).catch(() => []);
  return names.filter((name) => /^\d+-\d+\.json$/.test(name)).map((name) => join(folder, name));
}

async function programIn(file: string): Promise<RunningProgram | undefined> {
  const announcement = await read(file);
  if (announcement === undefined) return undefined;
  const { token, hasAuth, url, ...rest } = announcement;
  if (await isHolder(url, token)) {
    return { id: programId(announcement), ...rest, url: hasAuth ? url : `${url}#token=${token}` };
  }
  // It may only be busy, or its process is seen from another container; a file is removed when neither can be.
  if (!isAlive(announcement.pid)) await rm(file, { force: true });
  return undefined;
}

async function read(file: string): Promise<Announcement | undefined> {
  try {
    if (!(await isPrivatePath(file, 'file')) || (await stat(file)).size > LIMITS.bytes) return undefined;
    return announcementIn(JSON.parse(await readFile(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function announcementIn(value: unknown): Announcement | undefined {
  const fields = fieldsOf(value);
  const [name, cwd, url, token] = (['name', 'cwd', 'url', 'token'] as const).map((field) => textIn(fields, field));
  const [pid, port, startedAt] = (['pid', 'port', 'startedAt'] as const).map((field) => numberIn(fields, field));
  if (!name || cwd == null || !url || !token || !pid || !port || startedAt == null) return undefined;
  const { protocol, hash, search } = new URL(url);
  if (protocol !== 'http:' || hash !== '' || search !== '') return undefined;
  const flags = { readOnly: fields.readOnly === true, hasAuth: fields.hasAuth === true };
  return { name: name.slice(0, 200), cwd, url, token, pid, port, startedAt, ...flags };
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    // A process of another user is there, but did not write the file.
    return false;
  }
}
