import type { Dirent } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { configFolder } from '../cli/folders.ts';

/** The folders that hold the user's configuration. In all others the CLI writes parts of conversations, such as plans. */
const CONFIGURATION: ReadonlySet<string> = new Set(
  'agents commands skills plugins output-styles rules hooks themes'.split(' '),
);

/** The files that are not just copied: prompts of other conversations, and what is taken below. */
const NOT_COPIED: ReadonlySet<string> = new Set(['history.jsonl', '.claude.json', '.credentials.json']);

const LONGEST_FILE = 16 * 1024 * 1024;

/**
 * Fills a new configuration directory from the one that the CLI would use: folders (agents, commands, skills, plugins) are
 * links, settings are copies, so that the CLI behaves as it does there and its changes to settings end with it.
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
    // A link may lead to either.
    const isFolder = await stat(from)
      .then((found) => found.isDirectory())
      .catch(() => false);
    if (isFolder ? CONFIGURATION.has(entry.name) : !NOT_COPIED.has(entry.name))
      await take(from, join(target, entry.name));
  }
  // Without CLAUDE_CONFIG_DIR it lies beside the directory.
  const state = join(env.CLAUDE_CONFIG_DIR ? source : dirname(source), '.claude.json');
  await take(state, join(target, '.claude.json'));
  await takeLogin(join(source, '.credentials.json'), join(target, '.credentials.json'));
  // What the CLI has noted about the project belongs to the directory, not to the conversation.
  const memory = join('projects', projectFolder, 'memory');
  await mkdir(join(target, 'projects', projectFolder), { recursive: true, mode: 0o700 });
  await take(join(source, memory), join(target, memory));
}

/** Links a folder, copies a file; leaves out what is missing or neither. */
async function take(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (found?.isDirectory() || found?.isSymbolicLink()) await symlink(from, to, 'junction');
  else if (found?.isFile() && found.size <= LONGEST_FILE) {
    await copyFile(from, to);
    await chmod(to, 0o600);
  }
}

/** The login without its refresh token: a refresh that only the copy learns of would end the user's own login. */
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
