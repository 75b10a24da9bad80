// Installs runtimes (Node, Bun, Deno) from npm into .cache/runtimes.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the runtimes. */
export const RUNTIMES_FOLDER = fileURLToPath(new URL('../../.cache/runtimes', import.meta.url));

/**
 * The executable of a runtime, installed on first use; undefined if npm does not have it.
 * @param {'node' | 'bun' | 'deno'} name The name of its npm package.
 * @param {string} range
 * @returns {string | undefined}
 */
export function ensureRuntime(name, range) {
  const folder = join(RUNTIMES_FOLDER, name === 'node' ? `node-${range}` : name);
  const binary = join(folder, 'node_modules/.bin', name);
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  console.error(`Installing ${name}@${range} (once) …`);
  // Its install script links the binary of this platform, so install scripts must run.
  spawnSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', `${name}@${range}`], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return existsSync(binary) ? binary : undefined;
}
