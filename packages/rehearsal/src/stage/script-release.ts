import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { isObject } from '@coxswain/shared/is-object';
import { RehearsalError } from '../rehearsal-error.ts';

/** Where releases are kept that are not native programs, one folder each. */
function scriptReleases(env: NodeJS.ProcessEnv = process.env): string {
  return join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'coxswain', 'script-releases');
}

/**
 * Older releases are one `cli.js` in the main package; newer ones are a native program in a package per platform. Returns the path of
 * a `cli.js`, which is fetched from the npm registry if it is missing, and undefined for a native release.
 * @throws RehearsalError if npm fails or the package is not the published one
 */
export async function scriptRelease(version: string, folder: string = scriptReleases()): Promise<string | undefined> {
  const path = join(folder, version, 'cli.js');
  if (await exists(path)) return path;
  const spec = `@anthropic-ai/claude-code@${version}`;
  const published: unknown = JSON.parse(
    (await npm(['view', spec, 'dist.integrity', 'bin', '--json'], process.cwd())) || '{}',
  );
  if (!isObject(published)) throw new RehearsalError('release', `The npm registry has no ${spec}.`);
  if (!JSON.stringify(published.bin ?? '').includes('cli.js')) return undefined;
  await fetchInto(folder, version, spec, String(published['dist.integrity']));
  return path;
}

/** All published releases, oldest first. @throws RehearsalError */
export async function publishedReleases(): Promise<readonly string[]> {
  const listed: unknown = JSON.parse(
    await npm(['view', '@anthropic-ai/claude-code', 'versions', '--json'], process.cwd()),
  );
  return Array.isArray(listed) ? listed.filter((version) => /^\d+\.\d+\.\d+$/.test(String(version))).map(String) : [];
}

async function fetchInto(folder: string, version: string, spec: string, integrity: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const work = await mkdtemp(join(folder, '.fetching-'));
  try {
    const packed: unknown = JSON.parse(
      await npm(['pack', spec, '--json', '--ignore-scripts', '--pack-destination', '.'], work),
    );
    const first: unknown = Array.isArray(packed) ? packed[0] : undefined;
    const tarball = isObject(first) ? String(first.filename) : '';
    const hash = createHash('sha512');
    await pipeline(createReadStream(join(work, tarball)), hash);
    if (`sha512-${hash.digest('base64')}` !== integrity) {
      throw new RehearsalError('release', `The tarball of ${spec} is not the published one.`);
    }
    await mkdir(join(work, 'package'));
    await run('tar', ['-xzf', tarball, 'package'], { cwd: work });
    // Another process may have fetched the same release.
    await rename(join(work, 'package'), join(folder, version)).catch(async (error: unknown) => {
      if (!(await exists(join(folder, version, 'cli.js')))) throw error;
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

const run = promisify(execFile);

async function npm(args: readonly string[], cwd: string): Promise<string> {
  const windows = process.platform === 'win32';
  try {
    const { stdout } = await run(windows ? 'npm.cmd' : 'npm', [...args, '--loglevel', 'error'], {
      cwd,
      shell: windows,
      timeout: 15 * 60_000,
      maxBuffer: 16_000_000,
    });
    return stdout.trim();
  } catch (error) {
    throw new RehearsalError(
      'release',
      `npm ${args.join(' ')} failed: ${error instanceof Error ? error.message : error}`,
      error,
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
