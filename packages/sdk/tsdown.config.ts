import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', mcp: 'src/mcp/index.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  treeshake: true,
});
