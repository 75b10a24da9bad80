import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PINS, replacePins } from '../follow/pins.mjs';
import { withSection } from './changelog.mjs';
import { DROP_IN, publishedPackages, ROOT, releaseVersion } from './packages.mjs';
import { checkLater, nextDropIn, withVersions } from './versions.mjs';

/** Texts outside of package.json that name the version: `{version}` is such as 0.3.0, `{minor}` such as 0.3. */
export const TEXTS = /** @type {const} */ ([
  ['README.md', 'Version {minor}, not published yet'],
  ['SECURITY.md', '| {minor} | yes |'],
  ['docs/guides/drop-in.md', 'coxswain-{version}.tgz'],
]);

/**
 * Gives all packages the next version, in package.json, in what depends on them, in the pages and in the lockfile.
 * @param {string} next
 * @param {string} [dropIn] The version of the drop-in; by default its next release for the same official SDK.
 */
export function bump(next, dropIn) {
  const packages = publishedPackages();
  const current = releaseVersion(packages);
  checkLater(current, next);
  const currentDropIn = packages.find(({ manifest }) => manifest.name === DROP_IN)?.manifest.version ?? '';
  const nextOfDropIn = dropIn ?? nextDropIn(currentDropIn);
  checkLater(currentDropIn, nextOfDropIn);

  const versions = new Map(
    [...packages.map(({ manifest }) => manifest.name), '@coxswain/shared'].map((name) => [name, next]),
  );
  versions.set(DROP_IN, nextOfDropIn);
  for (const file of manifests()) edit(file, (text) => json(withVersions(JSON.parse(text), versions)));
  for (const [file, text] of TEXTS)
    edit(file, (content) => content.replaceAll(filled(text, current), filled(text, next)));
  const release = { cli: '{cli}', sdk: '{sdk}' };
  for (const [file, ...texts] of PINS) {
    const [from, to] = [
      { ...release, dropIn: currentDropIn },
      { ...release, dropIn: nextOfDropIn },
    ];
    edit(file, (content) => replacePins(content, texts.filter(namesDropInOnly), from, to).content);
  }
  edit('CHANGELOG.md', (content) => withSection(content, next));
  lock();
}

/**
 * A text with the version in it.
 * @param {string} text
 * @param {string} version
 * @returns {string}
 */
export function filled(text, version) {
  return text.replace('{version}', version).replace('{minor}', version.replace(/\.\d+$/, ''));
}

/** @param {string} text */
const namesDropInOnly = (text) => text.includes('{dropIn}');

/** Every package.json of the repository that may name one of our packages. */
function manifests() {
  const folders = ['packages', 'examples/testing'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => join(folder, name)),
  );
  return [...folders, 'examples', 'conformance', 'bench']
    .map((folder) => join(folder, 'package.json'))
    .filter((file) => existsSync(join(ROOT, file)));
}

/**
 * @param {string} file
 * @param {(text: string) => string} change
 */
function edit(file, change) {
  const path = join(ROOT, file);
  const before = readFileSync(path, 'utf8');
  const after = change(before);
  if (after === before) return;
  writeFileSync(path, after);
  console.log(`changed ${file}`);
}

/** @param {unknown} manifest */
function json(manifest) {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

function lock() {
  const args = ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const shell = process.platform === 'win32';
  const { status } = spawnSync('npm', args, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'], shell });
  if (status !== 0) throw new Error('npm could not update package-lock.json.');
}
