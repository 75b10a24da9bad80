import { defineConfig } from 'tsdown';

export default defineConfig([
  {
    entry: ['src/index.ts'],
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    dts: true,
    sourcemap: true,
    treeshake: true,
  },
  {
    // One file that stands alone: scriptedCli() copies it, and it starts the faster for it.
    entry: { 'scripted-cli': 'src/scripted/executable.ts' },
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    dts: false,
    clean: false,
    treeshake: true,
  },
]);
