import { fileURLToPath } from 'node:url';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));

/** The path of the bundle. */
export const BUNDLE = new URL('../../.cache/bench/faults/battery.mjs', import.meta.url);

/** Bundles the scenarios, so that each of some hundred hosts loads one file of JavaScript. */
export async function bundleBattery() {
  // Not for the hosts, which only need the path of the bundle.
  const { build } = await import('tsdown');
  await build({
    config: false,
    logLevel: 'warn',
    entry: { battery: here('./battery.mjs') },
    outDir: here('../../.cache/bench/faults'),
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    dts: false,
    // The fixtures are resolved relative to the files that use them.
    define: { 'import.meta.url': JSON.stringify(new URL('../../packages/sdk/test/support/', import.meta.url).href) },
    alias: { vitest: here('./expect.mjs') },
    inputOptions: { external: ['coxswain', '@coxswain/testkit'] },
  });
}
