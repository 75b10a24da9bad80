// node scripts/fetch/tool.mjs <bin> [args]: runs a checker of tools/, installing the checkers on first use.
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const TOOLS = fileURLToPath(new URL('../../tools', import.meta.url));

/** Installs the checkers when they are missing or older than their lockfile. */
export function ensureTools() {
  ensureInstalled(TOOLS, 'the checkers of tools/');
}

/**
 * Installs the packages of a folder with its own lockfile if they are missing or older than the lockfile.
 * @param {string} folder
 * @param {string} what
 */
export function ensureInstalled(folder, what) {
  if (changedAt(folder, 'node_modules/.package-lock.json') >= changedAt(folder, 'package-lock.json')) return;
  console.error(`Installing ${what} (once) …`);
  // Not `npm ci`: it refuses a lockfile that lacks the binaries of other platforms; --no-save keeps the lockfile unchanged.
  const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', ['install', '--prefix', folder, ...options], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0)
    throw new Error(`npm install --prefix ${folder} failed: ${done.error?.message ?? done.status}`);
}

/**
 * The script behind a command of one of the tools, to be run by Node.
 * @param {string} bin
 * @returns {string}
 */
export function toolPath(bin) {
  const { devDependencies = {} } = readJson('package.json');
  for (const name of Object.keys(devDependencies)) {
    const path = readJson(`node_modules/${name}/package.json`).bin?.[bin];
    if (path) return resolve(TOOLS, 'node_modules', name, path);
  }
  throw new Error(`No package of ${TOOLS} has the command ${bin}.`);
}

/**
 * Runs a tool on the caller's terminal and returns its exit code.
 * @param {string} bin
 * @param {readonly string[]} args
 * @returns {number}
 */
export function runTool(bin, args) {
  ensureTools();
  const done = spawnSync(process.execPath, [toolPath(bin), ...args], { stdio: 'inherit' });
  if (done.error) throw done.error;
  return done.status ?? 1;
}

/**
 * @param {string} folder
 * @param {string} path
 */
function changedAt(folder, path) {
  return statSync(resolve(folder, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * @param {string} path
 * @returns {Record<string, Record<string, string>>}
 */
function readJson(path) {
  return JSON.parse(readFileSync(resolve(TOOLS, path), 'utf8'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [bin, ...args] = process.argv.slice(2);
  if (bin === undefined) {
    console.error('usage: node scripts/fetch/tool.mjs <bin> [args]');
    process.exit(2);
  }
  process.exitCode = runTool(bin, args);
}
