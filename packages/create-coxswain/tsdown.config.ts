import { defineConfig } from 'tsdown';

export default defineConfig({
  entry: { index: 'src/index.ts', create: 'src/create.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  treeshake: true,
});
