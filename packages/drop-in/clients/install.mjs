// node packages/drop-in/clients/install.mjs [node-20|node-22]: installs the official SDK and its clients into
// .cache/clients/<set>/official, and the same clients with the built drop-in instead into .cache/clients/<set>/drop-in.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { ensureRuntime } from '../../../scripts/fetch/runtime.mjs';

/** @typedef {'node-20' | 'node-22'} ClientSet */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../.cache/clients', import.meta.url));
const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const STAMP = '.installed';

/** Folders of packages/, and the names under which they are staged. */
const STAGED_PACKAGES = [
  ['drop-in', OFFICIAL],
  ['sdk', 'coxswain'],
];
const STAGED_FOLDERS = ['drivers', 'programs', 'wrong-uses'];

/**
 * Installs a set if it is missing or its lockfile has changed; returns its two folders.
 * @param {ClientSet} set
 * @returns {{ official: string, dropIn: string }}
 */
function ensureClients(set) {
  const places = clientPlaces(set);
  const lock = readFileSync(join(HERE, set, 'package-lock.json'), 'utf8');
  if (read(join(places.official, STAMP)) !== lock) {
    console.error(`Installing the official SDK and its clients for ${set} (once) …`);
    install(set, places.official);
    writeFileSync(join(places.official, STAMP), lock);
  }
  if (read(join(places.dropIn, STAMP)) !== lock) {
    rmSync(places.dropIn, { recursive: true, force: true });
    linkTree(places.official, places.dropIn);
  }
  return places;
}

/**
 * Installs a set, replaces the official SDK by the built packages, like `npm install` with an alias, and copies the drivers and
 * programs into both folders, where their imports find the clients.
 * @param {ClientSet} set
 */
export function stageClients(set) {
  const places = ensureClients(set);
  for (const [folder, name] of STAGED_PACKAGES) {
    copyPackage(join(PACKAGES, folder), join(places.dropIn, 'node_modules', name));
  }
  for (const place of Object.values(places)) {
    for (const folder of STAGED_FOLDERS)
      cpSync(join(HERE, folder), join(place, folder), { recursive: true, force: true });
  }
  return places;
}

/**
 * The two folders of a set.
 * @param {ClientSet} set
 * @throws Error if the set is missing, or was staged from other builds and drivers than the current ones.
 */
export function stagedClients(set) {
  const places = clientPlaces(set);
  const modules = join(places.dropIn, 'node_modules');
  const pairs = [
    ...STAGED_PACKAGES.map(([folder, name]) => [join(PACKAGES, folder), join(modules, name)]),
    ...Object.values(places).flatMap((place) => STAGED_FOLDERS.map((name) => [join(HERE, name), join(place, name)])),
  ];
  for (const [from, to] of pairs) {
    if (from === undefined || to === undefined || !isCopyOf(to, from)) {
      throw new Error(`${to} is not up to date: run "node packages/drop-in/clients/install.mjs ${set}".`);
    }
  }
  return places;
}

/**
 * The location of a set, installed or not.
 * @param {ClientSet} set
 */
export function clientPlaces(set) {
  return { official: join(CACHE, set, 'official'), dropIn: join(CACHE, set, 'drop-in') };
}

/**
 * The Node that runs the clients of a set; installed from npm if this process runs on an older one.
 * @param {ClientSet} set
 * @returns {string}
 */
export function clientNode(set) {
  const needed = Number(set.slice('node-'.length));
  if (Number.parseInt(process.versions.node, 10) >= needed) return process.execPath;
  const binary = ensureRuntime('node', String(needed));
  if (binary === undefined) throw new Error(`npm could not install Node ${needed}, which the clients of ${set} need.`);
  return binary;
}

/**
 * @param {ClientSet} set
 * @param {string} place
 */
function install(set, place) {
  rmSync(place, { recursive: true, force: true });
  mkdirSync(place, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(HERE, set, name), join(place, name));
  // Optional packages contain copies of the CLI (360 MB); the drivers use the CLI of .cache/cli instead.
  const options = ['--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', ['ci', ...options], {
    cwd: place,
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) throw new Error(`npm ci failed in ${place}: ${done.error?.message ?? `exit ${done.status}`}`);
}

/**
 * Copies with hard links, which takes a second and no space.
 * @param {string} from
 * @param {string} to
 */
function linkTree(from, to) {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkSync(source, target);
  }
}

/**
 * Copies the published files of a package.
 * @param {string} from
 * @param {string} to
 */
function copyPackage(from, to) {
  /** @type {{ files: string[] }} */
  const { files } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  rmSync(to, { recursive: true, force: true });
  for (const name of ['package.json', ...files]) {
    const source = join(from, name);
    if (!existsSync(source)) throw new Error(`${source} is missing: run "npm run build" first.`);
    mkdirSync(dirname(join(to, name)), { recursive: true });
    cpSync(source, join(to, name), { recursive: true });
  }
}

/**
 * True if every file of a copy equals the original.
 * @param {string} copy
 * @param {string} original
 * @returns {boolean}
 */
function isCopyOf(copy, original) {
  if (!existsSync(copy)) return false;
  return readdirSync(copy, { withFileTypes: true }).every((entry) => {
    const [one, other] = [join(copy, entry.name), join(original, entry.name)];
    return entry.isDirectory() ? isCopyOf(one, other) : read(one) === read(other);
  });
}

/** @param {string} path */
function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const set = process.argv[2] ?? 'node-20';
  if (set !== 'node-20' && set !== 'node-22') {
    console.error('usage: node packages/drop-in/clients/install.mjs [node-20|node-22]');
    process.exit(2);
  }
  stageClients(set);
}
