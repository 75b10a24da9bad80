import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const VERSION = '0.3.325';

/**
 * The closed official SDK, for comparison only: installed into a folder of its own, without its bundled CLI, never a
 * dependency. Its code is not read. `undefined` when it cannot be had.
 */
export async function officialSdk() {
  const folder = fileURLToPath(new URL('../.cache/bench/official/', import.meta.url));
  const entry = `${folder}node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs`;
  if (!existsSync(entry)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}package.json`, '{"private":true,"type":"module"}\n');
    const args = ['install', '--ignore-scripts', '--omit=optional', `@anthropic-ai/claude-agent-sdk@${VERSION}`];
    try {
      execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    } catch {
      return undefined;
    }
  }
  return import(pathToFileURL(entry).href);
}
