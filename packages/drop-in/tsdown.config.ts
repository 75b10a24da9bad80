import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsdown';
import { optionalPeers } from './tsdown.optional-peers.ts';

// Tracing hooks search `sdk.mjs` at the root of the package, so the output is there. `clean` would remove the package.
const shared = {
  entry: { sdk: 'src/sdk.ts', 'sdk-tools': 'src/sdk-tools.ts' },
  outDir: '.',
  clean: false,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  treeshake: true,
} as const;

const source = (path: string): string => fileURLToPath(new URL(`../sdk/src/${path}`, import.meta.url));

export default defineConfig([
  { ...shared, dts: false },
  {
    ...shared,
    // Self-contained: `coxswain` has entry points that `moduleResolution: node` does not find. Built from its source, which exists
    // before its build does.
    dts: { emitDtsOnly: true },
    alias: { 'coxswain/types': source('type-names.ts') },
    deps: { alwaysBundle: ['coxswain/types'] },
    plugins: [optionalPeers()],
    inputOptions: { experimental: { attachDebugInfo: 'none' } },
  },
]);
