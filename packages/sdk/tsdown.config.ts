import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', mcp: 'src/mcp/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  // The entry is parsed at every import of the host; names stay, for stack traces.
  minify: { compress: true, mangle: false, codegen: true },
  treeshake: true,
});
