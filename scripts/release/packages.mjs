import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {{
 *   name: string, version: string, private?: boolean, files?: string[], dependencies?: Record<string, string>,
 *   devDependencies?: Record<string, string>, peerDependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 * }} Manifest
 * @typedef {{ folder: string, manifest: Manifest }} Package
 */

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The package whose version follows the official SDK. */
export const DROP_IN = '@coxswain/drop-in';

/**
 * The packages that are published, each after those it depends on.
 * @param {string} root
 * @returns {readonly Package[]}
 */
export function publishedPackages(root = ROOT) {
  const folders = readdirSync(join(root, 'packages')).map((name) => join(root, 'packages', name));
  return inOrder(folders.map(readPackage).filter(({ manifest }) => !manifest.private));
}

/**
 * The version of the release: that of every package but the drop-in.
 * @param {readonly Package[]} packages
 * @returns {string}
 */
export function releaseVersion(packages) {
  const versions = new Set(packages.flatMap(({ manifest }) => (manifest.name === DROP_IN ? [] : [manifest.version])));
  const [version, ...others] = versions;
  if (version === undefined || others.length > 0)
    throw new Error(`The packages have different versions: ${[...versions].join(', ')}.`);
  return version;
}

/**
 * @param {string} folder
 * @returns {Package}
 */
function readPackage(folder) {
  return { folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) };
}

/**
 * @param {readonly Package[]} packages
 * @returns {readonly Package[]}
 */
function inOrder(packages) {
  /** @type {Set<Package>} */
  const ordered = new Set();
  /** @param {Package} one */
  const add = (one) => {
    for (const name of Object.keys(one.manifest.dependencies ?? {})) {
      const needed = packages.find(({ manifest }) => manifest.name === name);
      if (needed && !ordered.has(needed)) add(needed);
    }
    ordered.add(one);
  };
  for (const one of packages) add(one);
  return [...ordered];
}
