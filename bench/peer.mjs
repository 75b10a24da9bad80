import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const NAME = '@anthropic-ai/claude-agent-sdk';

const CLIENTS = new URL('../packages/drop-in/clients/node-20/package.json', import.meta.url);

/** The measured release of the closed official SDK: the one with which the drop-in is compared. */
export const OFFICIAL_VERSION = JSON.parse(readFileSync(CLIENTS, 'utf8')).dependencies[NAME];

/** The same as a package spec for npm. */
export const officialSpec = `${NAME}@${OFFICIAL_VERSION}`;

/** Its folder: separate, never a dependency. Its code is not read. */
export const OFFICIAL_FOLDER = fileURLToPath(new URL('../.cache/bench/official/', import.meta.url));

/** The URL of its entry, or `undefined` if it is unavailable. It is installed without its bundled CLI. */
export function officialEntry() {
  const entry = `${OFFICIAL_FOLDER}node_modules/${NAME}/sdk.mjs`;
  if (!existsSync(entry)) {
    mkdirSync(OFFICIAL_FOLDER, { recursive: true });
    writeFileSync(`${OFFICIAL_FOLDER}package.json`, '{"private":true,"type":"module"}\n');
    const args = ['install', '--ignore-scripts', '--omit=optional', officialSpec];
    try {
      execFileSync('npm', args, { cwd: OFFICIAL_FOLDER, stdio: ['ignore', 'ignore', 'inherit'] });
    } catch {
      return undefined;
    }
  }
  return pathToFileURL(entry).href;
}

/** The module itself, if available. */
export async function officialSdk() {
  const entry = officialEntry();
  return entry && import(entry);
}
