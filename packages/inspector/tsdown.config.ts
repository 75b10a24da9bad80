import { defineConfig } from 'tsdown';
import { build } from 'vite';

export default defineConfig({
  entry: ['src/index.ts'],
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  treeshake: true,
  // The page is a project of its own: it runs in a browser.
  onSuccess: async () => {
    await build({ configFile: 'vite.config.ts', logLevel: 'warn' });
  },
});
