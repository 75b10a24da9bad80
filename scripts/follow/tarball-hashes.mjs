import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file with the hashes of the pinned release. */
const HASHES_FILE = 'packages/sdk/src/cli/install-download.ts';

const ROW = /^( {2}'([\w-]+)': )'sha512-[^']+'/gm;

/**
 * Replaces the hash of each platform's package.
 * @param {string} content
 * @param {(platform: string) => string} hashOf
 */
export function replaceHashes(content, hashOf) {
  return content.replace(ROW, (_, start, platform) => `${start}'${hashOf(platform)}'`);
}

/**
 * Writes the hashes that the registry lists for a release of the CLI.
 * @param {string} root
 * @param {string} cli
 */
export function writeHashes(root, cli) {
  const path = join(root, HASHES_FILE);
  writeFileSync(
    path,
    replaceHashes(readFileSync(path, 'utf8'), (platform) => publishedHash(platform, cli)),
  );
}

/**
 * @param {string} platform
 * @param {string} cli
 */
function publishedHash(platform, cli) {
  const spec = `@anthropic-ai/claude-code-${platform}@${cli}`;
  const { stdout } = spawnSync('npm', ['view', spec, 'dist.integrity'], { encoding: 'utf8' });
  const hash = stdout.trim();
  if (!/^sha512-[\w+/]{86}==$/.test(hash)) throw new Error(`The registry lists no sha512 of ${spec}.`);
  return hash;
}
