// The switch between versions. The newest release is at the root of the site, each older one in a folder of its own, which was built
// from its tag with DOCS_BASE=/0.2/. DOCS_VERSIONS lists the older ones: 0.2,0.1.
import { readFileSync } from 'node:fs';
import process from 'node:process';

const manifest = readFileSync(new URL('../../packages/sdk/package.json', import.meta.url), 'utf8');
const { version } = JSON.parse(manifest);
const base = process.env.DOCS_BASE ?? '/';
const older = (process.env.DOCS_VERSIONS ?? '').split(',').filter((name) => /^\d+\.\d+$/.test(name));

/** Other versions are other sites: their links are not changed to the base of this one. */
const other = (/** @type {string} */ text, /** @type {string} */ path) => ({
  text,
  link: `${process.env.DOCS_ORIGIN ?? ''}${path}`,
  target: '_self',
});

export const versions = {
  current: `v${version}`,
  items: [
    ...(base === '/' ? [] : [other('Newest', '/')]),
    ...older.filter((name) => base !== `/${name}/`).map((name) => other(`v${name}`, `/${name}/`)),
    { text: 'Changes', link: '/changes' },
    { text: 'Versioning', link: '/versioning' },
    { text: 'For programs: llms.txt', link: '/llms.txt', target: '_blank' },
  ],
};
