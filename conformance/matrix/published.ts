import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { compareVersions } from '@coxswain/shared/version';

/** Every published release of the CLI, oldest first, without test releases (those with a suffix). */
export async function publishedReleases(): Promise<string[]> {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['view', '@anthropic-ai/claude-code', 'versions', '--json', '--loglevel', 'error'];
  const { stdout } = await promisify(execFile)(npm, args, { timeout: 60_000, maxBuffer: 2 ** 24 });
  const versions: unknown = JSON.parse(stdout);
  if (!Array.isArray(versions)) throw new Error('The registry returned no list of releases.');
  return versions.filter((version) => /^\d+\.\d+\.\d+$/.test(version)).sort(compareVersions);
}
