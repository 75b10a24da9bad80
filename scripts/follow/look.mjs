import { spawnSync } from 'node:child_process';
import { compareVersions } from '@coxswain/shared/version';
import { releaseOf } from './pins.mjs';

const SDK = '@anthropic-ai/claude-agent-sdk';
const CLI = '@anthropic-ai/claude-code';

/**
 * The newest release of which both packages are published; with `wanted`, that release.
 * @param {string | undefined} wanted a version of the CLI
 * @returns {string}
 */
export function newestRelease(wanted) {
  return newestOf(published(CLI), published(SDK), wanted);
}

/**
 * @param {readonly string[]} clis
 * @param {readonly string[]} sdks
 * @param {string | undefined} wanted
 * @returns {string}
 */
export function newestOf(clis, sdks, wanted) {
  const both = clis.filter((cli) => /^2\.1\.\d+$/.test(cli) && sdks.includes(releaseOf(cli).sdk));
  const newest = wanted ?? both.toSorted(compareVersions).at(-1);
  if (newest === undefined || !both.includes(newest)) {
    throw new Error(
      `${wanted ?? 'No release'} is not published as ${CLI} and ${SDK}; the newest are ${both.slice(-5).join(', ')}.`,
    );
  }
  return newest;
}

/**
 * @param {string} name
 * @returns {string[]}
 */
function published(name) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { stdout, stderr, status } = spawnSync(npm, ['view', name, 'versions', '--json', '--loglevel', 'error'], {
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 2 ** 24,
    shell: process.platform === 'win32',
  });
  if (status !== 0) throw new Error(`The registry lists no versions of ${name}: ${stderr.trim()}`);
  return JSON.parse(stdout);
}
