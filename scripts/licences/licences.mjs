// node scripts/licences/licences.mjs: checks the licence of every package in the lockfiles. What is published, or bundled into it, must be
// permissive; what is only used here may also have a licence that applies to unchanged copies. Exit code 1 lists what has neither.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isAllowed } from './expression.mjs';

/** @typedef {{ version?: string, license?: unknown, dev?: boolean, link?: boolean }} Locked */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LOCKED = ['.', ...readdirSync(join(ROOT, 'tools')).map((name) => join('tools', name)), 'tools', ...clients()];

const PERMISSIVE = ['MIT', 'ISC', '0BSD', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', 'BlueOak-1.0.0', 'CC0-1.0'];
const FOR_TOOLS = [...PERMISSIVE, 'MPL-2.0', 'OFL-1.1', 'Python-2.0', 'Unlicense', 'WTFPL', 'CC-BY-4.0', 'Zlib'];

/** Packages whose package.json has no SPDX expression. Their own terms were read. */
const READ = new Map([
  ['@anthropic-ai/claude-agent-sdk', 'compared in tests, never published: SEE LICENSE IN README.md'],
  ['@anthropic-ai/claude-code', 'run in tests, never published: SEE LICENSE IN README.md'],
]);

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { checked, problems } = check();
  for (const problem of problems) console.error(problem);
  console.log(`${checked} packages, ${problems.length} with a licence that is not allowed`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}

/** The number of packages, and one line for each that is not allowed. */
export function check() {
  const bundled = bundledPackages();
  let checked = 0;
  const problems = LOCKED.flatMap((folder) => {
    const file = join(ROOT, folder, 'package-lock.json');
    if (!existsSync(file)) return [];
    /** @type {{ packages: Record<string, Locked> }} */
    const { packages } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.entries(packages).flatMap(([path, locked]) => {
      const name = path.split('node_modules/').at(-1) ?? '';
      if (!path.includes('node_modules/') || locked.link || isRead(name)) return [];
      checked += 1;
      const isShipped = folder === '.' && (!locked.dev || bundled.has(name));
      const licence = licenceOf(join(ROOT, folder, path), locked);
      if (licence !== undefined && isAllowed(licence, isShipped ? PERMISSIVE : FOR_TOOLS)) return [];
      return [
        `${join(folder, 'package-lock.json')}: ${name}@${locked.version}: ${licence ?? 'no licence'}${isShipped ? ' (published)' : ''}`,
      ];
    });
  });
  return { checked, problems };
}

/** @param {string} name */
function isRead(name) {
  return [...READ.keys()].some((known) => name === known || name.startsWith(`${known}-`));
}

/**
 * The licence in the lockfile, or in the package if npm did not copy it.
 * @param {string} folder
 * @param {Locked} locked
 * @returns {string | undefined}
 */
function licenceOf(folder, { license }) {
  if (typeof license === 'string') return license;
  const file = join(folder, 'package.json');
  const installed = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).license : undefined;
  const named = typeof installed === 'object' ? installed?.type : installed;
  return typeof named === 'string' ? named : undefined;
}

/** The development dependencies of published packages: the build can bundle them, except peers, which users install themselves. */
function bundledPackages() {
  return new Set(
    readdirSync(join(ROOT, 'packages')).flatMap((name) => {
      const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8'));
      const { devDependencies = {}, peerDependencies = {} } = manifest;
      return Object.keys(devDependencies).filter((dependency) => !(dependency in peerDependencies));
    }),
  );
}

/** The folders of the clients that the drop-in is tested with. */
function clients() {
  const folder = 'packages/drop-in/clients';
  return readdirSync(join(ROOT, folder)).map((name) => join(folder, name));
}
