import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', mcp: 'src/mcp/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  // The entry is parsed at every import of the host; the source maps keep stack traces readable.
  minify: true,
  treeshake: true,
});
