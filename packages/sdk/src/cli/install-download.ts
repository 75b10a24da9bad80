import { existsSync, realpathSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringField } from '../messages/fields.ts';
import { createRedactor, secretsIn } from '../redact.ts';
import { objectIn } from '../wire/kinds.ts';
import { type RunOptions, runProgram } from './run-program.ts';
import { PINNED_VERSION } from './version.ts';

export interface PackageWanted {
  readonly name: string;
  readonly version: string;
  /** The build in the package's name, such as `linux-x64-musl`. */
  readonly build: string;
}

/** The expected hash of a package's tarball: a constant for the pinned version, otherwise from the registry. */
export async function expectedIntegrity(wanted: PackageWanted, npm: NpmOptions): Promise<string> {
  const known = knownIntegrity(wanted.version, wanted.build);
  if (known !== undefined) return known;
  const integrity: unknown = JSON.parse(
    await runNpm(['view', `${wanted.name}@${wanted.version}`, 'dist.integrity', '--json'], npm),
  );
  if (typeof integrity === 'string' && integrity.startsWith('sha512-')) return integrity;
  throw new Error(`the registry has no sha512 for ${wanted.name}@${wanted.version}`);
}

/** Downloads a package's tarball with npm into `npm.cwd` and returns its path. */
export async function downloadTarball(
  wanted: PackageWanted,
  npm: NpmOptions,
  onBytes: ((received: number) => void) | undefined,
): Promise<string> {
  const done = new AbortController();
  const signal = npm.signal ? AbortSignal.any([npm.signal, done.signal]) : done.signal;
  // The install does not depend on progress reports.
  if (onBytes) watchDownload({ ...npm, signal }, onBytes).catch(() => {});
  try {
    await runNpm(['pack', `${wanted.name}@${wanted.version}`, '--json', '--ignore-scripts'], npm);
  } finally {
    done.abort();
  }
  const tarball = (await readdir(npm.cwd)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`npm pack created no tarball of ${wanted.name}@${wanted.version}`);
  return join(npm.cwd, tarball);
}

const WATCH_MS = 250;

/** npm first downloads into its cache: the largest new file there shows the progress. Rejects when the signal aborts. */
async function watchDownload(npm: NpmOptions, onBytes: (received: number) => void): Promise<never> {
  const since = Date.now();
  await sleep(WATCH_MS, undefined, { signal: npm.signal });
  const folder = join((await runNpm(['config', 'get', 'cache'], npm)).trim(), '_cacache', 'tmp');
  for (let most = 0; ; await sleep(WATCH_MS, undefined, { signal: npm.signal })) {
    const received = await largestSince(folder, since);
    npm.signal?.throwIfAborted();
    if (received <= most) continue;
    most = received;
    onBytes(received);
  }
}

async function largestSince(folder: string, since: number): Promise<number> {
  const names = await readdir(folder).catch(() => []);
  const all = await Promise.all(names.map((name) => stat(join(folder, name)).catch(() => undefined)));
  return Math.max(0, ...all.map((stats) => (stats && stats.birthtimeMs >= since ? stats.size : 0)));
}

/** The known integrity of a platform package, for the pinned version only. */
export function knownIntegrity(version: string, build: string): string | undefined {
  return version === PINNED_VERSION ? PINNED_TARBALLS[build] : undefined;
}

/** The hashes of the pinned version's platform packages, so that no registry can replace them. */
const PINNED_TARBALLS: Readonly<Record<string, string>> = {
  'darwin-arm64': 'sha512-LAK6PYjIZLxLMqhjj/R4bexyKqItk8RXtyUpIHPpgs3opSBzNb7AszbbN3hfdyoyf0VacA2hThVsnDkkpz9R7g==',
  'darwin-x64': 'sha512-QNGpfnwjftqzx1otsZjD9f+PAyo7PBomfnB+yNBgZ911o/1ERu9S5n5oNL3jeJTGV2pLbrVRCx/yg2X4/zkqOA==',
  'linux-arm64': 'sha512-vI4ygSwj6e8f0hWzM2sRxe6r2OvQU35HgoIZtx0rkvu574lxCFUUKUpn9hgWd6FwwMFz2gQyRhwQD7lPmTgW9A==',
  'linux-arm64-musl': 'sha512-zVRKZ1IdMOvm7M4Y0FIuJY1g3BWnpGVUOv8Fu8kGHYk0WbkES1BkuJG0O/6Jzd+LhkadEmBypz0odbGqvoqD+w==',
  'linux-x64': 'sha512-uJ24I+t47cpQjeo31ZrHepsFQ8QUsLjCxmDxLshMjYHEtoxhQdgKc4iuViQDaKpFqn3puR85gwHlLj4e7s+1iQ==',
  'linux-x64-musl': 'sha512-GhxvaKxZSNSFOyGP3Dwm+QoHz2h5TMmONN+GXb4xH4tbWT5AnvoCT6P62r342fTdGoonVEigEH1bnkcALNzLOw==',
  'win32-arm64': 'sha512-NRHSCyQEVLxhOHSP/nuiZwdTABGGICNiUfiJe2Z2BDOcodR6kCg99rYuLlXoyws6SLI50tzgjZLDL9c9KeZkrw==',
  'win32-x64': 'sha512-iOg2eIuMxvTiqIjS0rl//2iWU4ziZ6hyFzzvr/1cxNTTUH9miYNehzZaAni8chj3tB2RnQp81B1NZW3CnveuSQ==',
};

export interface NpmOptions extends RunOptions {
  readonly cwd: string;
}

/** npm failed; `npmCode` is its error code, such as `E404`. */
export class NpmFailure extends Error {
  readonly npmCode: string | undefined;

  constructor(message: string, npmCode?: string) {
    super(message);
    this.name = 'NpmFailure';
    this.npmCode = npmCode;
  }
}

/** Runs npm with the user's configuration and returns its output. @throws NpmFailure */
async function runNpm(args: readonly string[], options: NpmOptions): Promise<string> {
  const env = { ...options.env, npm_config_ignore_scripts: 'true', npm_config_update_notifier: 'false' };
  const command = [...npmCommand(env), ...args];
  const ended = await runProgram(command, { ...options, env }, 256 * 1024).catch((error: Error) => {
    options.signal?.throwIfAborted();
    throw new NpmFailure(`npm ${args[0]} ${error.message}`);
  });
  if (ended.exitCode === 0) return ended.stdout;
  // With `--json` npm reports errors on stdout, after its other output.
  const reported = objectIn(ended.stdout.slice(ended.stdout.indexOf('{')))?.error;
  const message = stringField(reported, 'summary') || ended.stderr.trim().slice(0, 600) || 'no output';
  const clean = createRedactor(secretsIn(env));
  throw new NpmFailure(
    clean(`npm ${args[0]} exited with code ${ended.exitCode}: ${message}`),
    stringField(reported, 'code'),
  );
}

/** npm without a shell: its script with the current Node if it can be found, otherwise the program on PATH. */
function npmCommand(env: NpmOptions['env']): readonly string[] {
  const path = Object.entries(env).find(([key]) => key.toUpperCase() === 'PATH')?.[1] ?? '';
  for (const folder of path.split(delimiter)) {
    const command = isAbsolute(folder) ? npmIn(folder) : undefined;
    if (command) return command;
  }
  const folder = dirname(process.execPath);
  for (const script of ['node_modules/npm/bin/npm-cli.js', '../lib/node_modules/npm/bin/npm-cli.js']) {
    if (existsSync(join(folder, script))) return [process.execPath, join(folder, script)];
  }
  throw new NpmFailure('npm was found neither on PATH nor beside Node', 'ENOENT');
}

function npmIn(folder: string): readonly string[] | undefined {
  if (process.platform === 'win32') {
    // A .cmd file needs a shell; the script it calls does not.
    const script = join(folder, 'node_modules/npm/bin/npm-cli.js');
    return existsSync(join(folder, 'npm.cmd')) && existsSync(script) ? [process.execPath, script] : undefined;
  }
  const program = join(folder, 'npm');
  if (!existsSync(program)) return undefined;
  const real = realpathSync.native(program);
  return real.endsWith('.js') ? [process.execPath, real] : [program];
}
