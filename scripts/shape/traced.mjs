// Runs trace.mjs in a separate process, and counts the recorded calls.
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** @typedef {import('./recorder.mjs').Recording} Recording */
/** @typedef {{ readonly out: Recording, readonly back: Recording }} OutAndBack */
/** @typedef {{ readonly six: Record<string, Recording>, readonly five: Record<string, OutAndBack> }} CoreTraces */

/**
 * The ways through the core of a checkout.
 * @param {string} root
 * @returns {CoreTraces}
 */
export function coreTraces(root) {
  return traced(root, 'core');
}

/**
 * The way of a message to the inspector's page.
 * @param {string} root
 * @returns {Recording}
 */
export function pageTrace(root) {
  return traced(root, 'page');
}

/**
 * @param {string} root
 * @param {'core' | 'page'} what
 */
function traced(root, what) {
  const script = fileURLToPath(new URL('./trace.mjs', import.meta.url));
  const options = /** @type {const} */ ({ encoding: 'utf8', maxBuffer: 2 ** 28 });
  const { stdout, stderr, status } = spawnSync(process.execPath, [script, root, what], options);
  if (status !== 0 || !stdout) throw new Error(`The trace of ${root} failed:\n${stderr}`);
  return JSON.parse(stdout);
}

/** @param {Recording} recording */
export function countsOf({ calls, path }) {
  return { path: path.length, objects: new Set(path.map(objectOf)).size, run: calls.length };
}

/**
 * The class of a function, or its file if it belongs to none.
 * @param {string} place
 */
function objectOf(place) {
  return place.replace(/^(\S+) (\w+)\..*/, '$1 $2').replace(/^(\S+) [^.]*$/, '$1');
}

/**
 * The file of a function.
 * @param {string} place
 */
export function fileOf(place) {
  return place.slice(0, place.indexOf(' '));
}
