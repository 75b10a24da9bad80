// node scripts/shape/trace.mjs <checkout> core|page: plays the ways on the instrumented sources of a checkout and prints the
// recordings as JSON.
import { register } from 'node:module';
import { resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { listen } from './recorder.mjs';

const root = resolve(process.argv[2] ?? '.');
const page = process.argv[3] === 'page';
// The core bundles the private package.
const packages = page ? ['inspector'] : ['sdk', 'shared'];
const traced = packages.map((name) => `${root}/packages/${name}/src/`);
register('./hooks.mjs', { parentURL: import.meta.url, data: { root, traced } });
listen(traced.map((folder) => pathToFileURL(folder).href));

const found = page ? await playedPage() : await playedCore();
process.stdout.write(JSON.stringify(found), () => process.exit());

async function playedPage() {
  const { messageToPage } = await import('./page-way.mjs');
  // On a busy machine the event stream may still collect changes for its last write, and a timer would cause the next one.
  for (let left = 5; ; left -= 1) {
    const recording = await messageToPage();
    if (left === 0 || recording.path[0]?.startsWith('sources/')) return recording;
  }
}

async function playedCore() {
  const { fiveWays, sixWays } = await import('./ways.mjs');
  return { six: await played(sixWays), five: await played(fiveWays) };
}

/**
 * @template T
 * @param {Readonly<Record<string, () => Promise<T>>>} ways
 * @returns {Promise<Record<string, T>>}
 */
async function played(ways) {
  /** @type {Record<string, T>} */
  const results = {};
  // The first run loads what is loaded on demand.
  for (const [name, way] of Object.entries(ways)) results[name] = await way().then(way);
  return results;
}
