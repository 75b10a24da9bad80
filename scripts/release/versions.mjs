/** @import { Manifest } from './packages.mjs' */

const LISTS = /** @type {const} */ (['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies']);

/**
 * A manifest with the new versions of our packages: its own, and those it depends on. `^` and `~` before a version are kept.
 * @template {Partial<Manifest>} M
 * @param {M} manifest
 * @param {ReadonlyMap<string, string>} versions By package name.
 * @returns {M}
 */
export function withVersions(manifest, versions) {
  const changed = structuredClone(manifest);
  const own = versions.get(manifest.name ?? '');
  if (own !== undefined) changed.version = own;
  for (const list of LISTS) {
    for (const [name, range] of Object.entries(changed[list] ?? {})) {
      const version = versions.get(name);
      if (version !== undefined) changed[list] = { ...changed[list], [name]: /^[~^]?/.exec(range)?.[0] + version };
    }
  }
  return changed;
}

/**
 * The next release of the drop-in for the same official SDK: its last two digits count them.
 * @param {string} version Such as 0.3.32700.
 * @returns {string}
 */
export function nextDropIn(version) {
  const [, start, patch] = /^(\d+\.\d+\.)(\d+)$/.exec(version) ?? [];
  if (start === undefined || patch === undefined) throw new Error(`"${version}" is not a version such as 0.3.32700.`);
  if (patch.endsWith('99')) throw new Error(`${version} is the last of 100 releases for one official SDK.`);
  return start + (Number(patch) + 1);
}

/**
 * Refuses what is not a later version than the current one.
 * @param {string} current
 * @param {string} next
 */
export function checkLater(current, next) {
  const [before, after] = [numbers(current), numbers(next)];
  const index = before.findIndex((part, at) => part !== after[at]);
  if (index === -1 || Number(before[index]) > Number(after[index]))
    throw new Error(`${next} is not later than ${current}.`);
}

/**
 * @param {string} version
 * @returns {readonly number[]}
 */
function numbers(version) {
  const [, ...parts] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(version) ?? [];
  if (parts.length === 0) throw new Error(`"${version}" is not a version such as 0.3.0.`);
  return parts.map(Number);
}
