import { defineConfig } from 'tsdown';

// Tracing hooks search `sdk.mjs` at the root of the package, so the output is there. `clean` would remove the package.
export default defineConfig({
  entry: { sdk: 'src/sdk.ts', 'sdk-tools': 'src/sdk-tools.ts' },
  outDir: '.',
  clean: false,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  treeshake: true,
});
