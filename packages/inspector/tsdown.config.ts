import { join } from 'node:path';
import { defineConfig } from 'tsdown';
import { build } from 'vite';

export default defineConfig({
  entry: { index: 'src/index.ts', text: 'src/page/text/visible.ts' },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  dts: true,
  sourcemap: true,
  treeshake: true,
  // The page is a separate project, because it runs in a browser.
  onSuccess: async ({ cwd }) => {
    await build({ configFile: join(cwd, 'vite.config.ts'), logLevel: 'warn' });
  },
});
