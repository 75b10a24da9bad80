import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, realpath, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFolder, isConfiguration } from '../cli/folders.ts';
import { readRegular } from '../files/regular-file.ts';

const LONGEST_FILE = 16 * 1024 * 1024;

/**
 * Fills a new configuration directory from the one that the CLI would use. Folders (agents, commands, skills, plugins) become
 * links and settings become copies, so that the CLI behaves as usual and its changes to settings are discarded. With `noLinks`,
 * links in that directory are left out: an isolated CLI may have put them there.
 */
export async function fillConfig(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
  projectFolder: string,
  noLinks = false,
): Promise<void> {
  const source = configFolder(env);
  if (source === undefined) return;
  for (const entry of await readdir(source, { withFileTypes: true }).catch((): Dirent[] => [])) {
    const from = join(source, entry.name);
    if (noLinks && entry.isSymbolicLink()) continue;
    // A link may point to a file or a folder.
    const isFolder = await stat(from)
      .then((found) => found.isDirectory())
      .catch(() => false);
    if (isConfiguration(entry.name, isFolder)) await take(from, join(target, entry.name), noLinks);
  }
  // Without CLAUDE_CONFIG_DIR, the file is beside the directory.
  const state = join(env.CLAUDE_CONFIG_DIR ? source : dirname(source), '.claude.json');
  await take(state, join(target, '.claude.json'), noLinks);
  await takeLogin(join(source, '.credentials.json'), join(target, '.credentials.json'), noLinks);
  // The CLI's notes about the project belong to the working directory, not to the conversation.
  const memory = join('projects', projectFolder, 'memory');
  await mkdir(join(target, 'projects', projectFolder), { recursive: true, mode: 0o700 });
  await take(join(source, memory), join(target, memory), noLinks);
}

/** Links a folder or copies a file. Skips anything else. */
async function take(from: string, to: string, noLinks: boolean): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  const isLink = found?.isSymbolicLink() && !noLinks;
  if (found?.isDirectory() || isLink) return symlink(from, to, 'junction');
  if (!found?.isFile()) return;
  const data = await readFile(from);
  if (data !== undefined) await writeFile(to, data, { mode: 0o600 });
}

/** Copies the login without its refresh token: a refresh known only to the copy would invalidate the user's own login. */
async function takeLogin(from: string, to: string, noLinks: boolean): Promise<void> {
  const text = await readFile(noLinks ? from : await realpath(from).catch(() => from));
  if (text === undefined) return;
  try {
    const login = JSON.parse(text.toString(), (name, value) => (/^refresh_?token$/i.test(name) ? undefined : value));
    await writeFile(to, JSON.stringify(login), { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}

/** Returns undefined for what is missing, long, a link or not a regular file. */
function readFile(path: string): Promise<Buffer | undefined> {
  return readRegular(path, dirname(path), LONGEST_FILE).catch(() => undefined);
}
