import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  root: folder('src/page'),
  // Relative URLs: the page works behind any base path.
  base: './',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: folder('dist/page'),
    emptyOutDir: true,
    target: 'es2022',
    // Every file other than the page itself has a hash in its name, so that browsers can cache it permanently.
    assetsDir: 'assets',
    // The policy of the page forbids `data:` URLs of scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
