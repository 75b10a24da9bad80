import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { cox: 'src/cox.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: false,
  sourcemap: true,
  treeshake: true,
});
