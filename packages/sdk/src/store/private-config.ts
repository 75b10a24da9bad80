import type { Dirent } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFolder } from '../cli/folders.ts';

/** Folders with the user's configuration. In all others the CLI writes parts of conversations, such as plans. */
const CONFIGURATION: ReadonlySet<string> = new Set(
  'agents commands skills plugins output-styles rules hooks themes'.split(' '),
);

/** Files that are not copied as they are: prompts of other conversations, and files handled separately below. */
const NOT_COPIED: ReadonlySet<string> = new Set(['history.jsonl', '.claude.json', '.credentials.json']);

const LONGEST_FILE = 16 * 1024 * 1024;

/**
 * Fills a new configuration directory from the one that the CLI would use. Folders (agents, commands, skills, plugins) become
 * links and settings become copies, so that the CLI behaves as usual and its changes to settings are discarded.
 */
export async function fillConfig(
  target: string,
  env: Readonly<Record<string, string | undefined>>,
  projectFolder: string,
): Promise<void> {
  const source = configFolder(env);
  if (source === undefined) return;
  for (const entry of await readdir(source, { withFileTypes: true }).catch((): Dirent[] => [])) {
    const from = join(source, entry.name);
    // A link may point to a file or a folder.
    const isFolder = await stat(from)
      .then((found) => found.isDirectory())
      .catch(() => false);
    if (isFolder ? CONFIGURATION.has(entry.name) : !NOT_COPIED.has(entry.name))
      await take(from, join(target, entry.name));
  }
  // Without CLAUDE_CONFIG_DIR, the file is beside the directory.
  const state = join(env.CLAUDE_CONFIG_DIR ? source : dirname(source), '.claude.json');
  await take(state, join(target, '.claude.json'));
  await takeLogin(join(source, '.credentials.json'), join(target, '.credentials.json'));
  // The CLI's notes about the project belong to the working directory, not to the conversation.
  const memory = join('projects', projectFolder, 'memory');
  await mkdir(join(target, 'projects', projectFolder), { recursive: true, mode: 0o700 });
  await take(join(source, memory), join(target, memory));
}

/** Links a folder or copies a file. Skips anything else. */
async function take(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found?.isDirectory() || found?.isSymbolicLink()) await symlink(from, to, 'junction');
  else if (found?.isFile() && found.size <= LONGEST_FILE) {
    await copyFile(from, to);
    await chmod(to, 0o600);
  }
}

/** Copies the login without its refresh token: a refresh known only to the copy would invalidate the user's own login. */
async function takeLogin(from: string, to: string): Promise<void> {
  const text = await readFile(from, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  try {
    const login = JSON.parse(text, (name, value) => (/^refresh_?token$/i.test(name) ? undefined : value));
    await writeFile(to, JSON.stringify(login), { mode: 0o600 });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
}
