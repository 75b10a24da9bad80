// The loader of a traced process: packages come from the sources of the measured checkout, without types, and those of
// the traced folders report their calls.
import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { javascriptOf } from './instrument.mjs';

/** @type {{ root: string, traced: readonly string[], sources: Map<string, string> }} */
let settings;

/** @param {{ root: string, traced: readonly string[] }} data root: the measured checkout; traced: the folders that report their calls */
export function initialize({ root, traced }) {
  // The aliases of the tests map a package's entry to its source file.
  const aliases = readFileSync(`${root}/vitest.config.ts`, 'utf8').matchAll(/'?([@\w/-]+)'?: source\('([^']+)'\)/g);
  settings = { root, traced, sources: new Map([...aliases].map(([, name = '', path = '']) => [name, path])) };
}

/** @type {import('node:module').ResolveHook} */
export async function resolve(specifier, context, next) {
  // The private package is never built: its entries are its files.
  const shared = /^@coxswain\/shared\/(.+)/.exec(specifier)?.[1];
  const source = shared ? `packages/shared/src/${shared}.ts` : settings.sources.get(specifier);
  if (source !== undefined) return { url: pathToFileURL(`${settings.root}/${source}`).href, shortCircuit: true };
  try {
    return await next(specifier, context);
  } catch (error) {
    // A checkout without node_modules uses those of this one.
    if (specifier.startsWith('.')) throw error;
    return next(specifier, { ...context, parentURL: import.meta.url });
  }
}

/** @type {import('node:module').LoadHook} */
export async function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.tsx?$/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const folder = settings.traced.find((each) => path.startsWith(each));
  const source = javascriptOf(path.slice(folder?.length ?? 0), readFileSync(path, 'utf8'), folder !== undefined);
  return { format: 'module', source, shortCircuit: true };
}
