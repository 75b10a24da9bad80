// The site: `npm run do -- docs:site`. It is built from the pages that scripts/docs/site.mjs lays out in .cache/site.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { anchorOf } from '../../scripts/docs/links.mjs';
import { versions } from './versions.mjs';

const site = fileURLToPath(new URL('../../.cache/site/', import.meta.url));

export default defineConfig({
  title: 'Coxswain',
  description: 'An open Claude Agent SDK for TypeScript.',
  lang: 'en-GB',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: `${site}pages`,
  srcExclude: ['public/**'],
  outDir: `${site}dist`,
  cacheDir: `${site}cache`,
  cleanUrls: true,
  // Anchors as GitHub makes them, so that the same links hold in both places.
  markdown: { anchor: { slugify: anchorOf } },
  vite: { build: { chunkSizeWarningLimit: 4_000 } },
  themeConfig: {
    outline: [2, 3],
    search: { provider: 'local' },
    nav: [
      { text: 'Quick start', link: '/quick-start' },
      { text: 'Guides', link: '/guides/queries' },
      { text: 'API', link: '/api/' },
      { text: versions.current, items: versions.items },
    ],
    sidebar: JSON.parse(readFileSync(`${site}sidebar.json`, 'utf8')),
    footer: { message: 'MIT licence. Not affiliated with Anthropic.' },
  },
});
