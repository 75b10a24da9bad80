// Creates the pages of the site in .cache/site/pages: those of docs/, some from other folders, the linked sources, and the API
// reference. Links are adapted, so that a page works on GitHub and on the site.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { groups } from '../../docs/.vitepress/sidebar.mjs';
import { apiPages } from './api.mjs';
import { isExternal, withLinks } from './links.mjs';
import { writePlainPages } from './plain-pages.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SITE = join(ROOT, '.cache/site');

/** Size up to which a folder is shown with the content of its files; larger ones show only the names. */
const FOLDER_BYTES = 24_000;

/** Pages with a different name on the site and in the repository. */
const MOVED = new Map([
  ['README.md', '/'],
  ['docs/README.md', '/'],
  ['docs/index.md', '/'],
  ['examples/README.md', '/examples'],
  ['packages/testkit/README.md', '/testkit'],
  ['packages/opentelemetry/README.md', '/guides/opentelemetry'],
  ['packages/rehearsal/README.md', '/guides/rehearsal'],
  ['packages/sdk/README.md', '/'],
  ['packages/cli/README.md', '/guides/command-line'],
  ['CHANGELOG.md', '/changes'],
  ['VERSIONING.md', '/versioning'],
  ['CONTRIBUTING.md', '/contributing'],
]);

/**
 * The path of a repository file on the site.
 * @param {string} path
 */
function siteOf(path) {
  const moved = MOVED.get(path);
  if (moved !== undefined) return moved;
  if (path.startsWith('docs/') && path.endsWith('.md')) return `/${path.slice('docs/'.length, -'.md'.length)}`;
  return `/source/${path.replace(/\/$/, '')}`;
}

/** Writes all pages; `isAgain` skips those that depend only on the sources. */
export function stage(isAgain = false) {
  if (!isAgain) rmSync(join(SITE, 'pages'), { recursive: true, force: true });
  const sources = new Set();
  const listed = groups.flatMap(({ pages }) => pages.map(([, page]) => page));
  const others = listed.filter((page) => !page.startsWith('docs/') && existsSync(join(ROOT, page)));
  for (const page of [...docsPages(), ...others]) {
    const text = withLinks(readFileSync(join(ROOT, page), 'utf8'), (target) => siteLink(page, target, sources));
    write(siteOf(page), text);
  }
  for (const source of sources) write(siteOf(source), sourcePage(source));
  writePlainPages(join(SITE, 'pages/public'), plainPages());
  for (const file of filesIn('docs')) {
    if (/\.(svg|png)$/.test(file)) cpSync(join(ROOT, file), join(SITE, 'pages', file.slice('docs/'.length)));
  }
  if (!isAgain) stageApi();
}

/** The pages of the sidebar, in its order, with links to the plain pages. */
function plainPages() {
  const listed = groups.flatMap(({ text, pages }) => pages.map(([title, page]) => ({ group: text, title, page })));
  const places = new Map(listed.map(({ page }) => [page, siteOf(page)]));
  return listed.map(({ group, title, page }) => {
    const text = withLinks(readFileSync(join(ROOT, page), 'utf8'), (target) => {
      const [path = '', anchor] = target.split('#');
      if (isExternal(target) || path === '' || path.startsWith('/')) return target;
      const place = places.get(posix.join(posix.dirname(page), decodeURI(path)));
      if (place === undefined) return siteLink(page, target, new Set());
      return `${place === '/' ? '/index' : place}.md${anchor === undefined ? '' : `#${anchor}`}`;
    });
    return { group, title, path: siteOf(page), text };
  });
}

/** The pages of docs/, as paths in the repository. */
function docsPages() {
  return filesIn('docs').filter((file) => file.endsWith('.md') && file !== 'docs/README.md');
}

/** The API reference, and the sidebar, which lists its pages. */
function stageApi() {
  const pages = apiPages();
  for (const { path, text } of pages) write(path, text);
  const link = (/** @type {{ title: string, path: string }} */ { title, path }) => ({ text: title, link: path });
  const listed = pages.filter(({ path }) => path !== '/api/index');
  const entryPoints = [...new Set(listed.map(({ group }) => group))];
  const sidebar = {
    '/': [
      ...groups.map(({ text, pages: own }) => ({
        text,
        items: own.map(([title, page]) => link({ title, path: siteOf(page) })),
      })),
      { text: 'API', items: [{ text: 'All names', link: '/api/' }] },
    ],
    '/api/': entryPoints.map((group) => ({
      text: group,
      items: listed.filter((page) => page.group === group).map(link),
    })),
  };
  writeFileSync(join(SITE, 'sidebar.json'), JSON.stringify(sidebar));
}

/**
 * @param {string} page
 * @param {string} target
 * @param {Set<string>} sources files and folders that need a page of their own
 */
function siteLink(page, target, sources) {
  if (isExternal(target) || target.startsWith('#') || target.startsWith('/')) return target;
  const [path = '', anchor] = target.split('#');
  const file = posix.join(posix.dirname(page), decodeURI(path));
  if (!existsSync(join(ROOT, file))) throw new Error(`${page}: ${target} does not exist.`);
  if (/\.(svg|png|json)$/.test(file) && file.startsWith('docs/')) return target;
  const place = siteOf(file);
  if (place.startsWith('/source/')) sources.add(file);
  return anchor === undefined ? place : `${place}#${anchor}`;
}

/**
 * A page that shows a file, or the files of a folder.
 * @param {string} path
 */
function sourcePage(path) {
  const head = ['---', 'search: false', 'editLink: false', 'prev: false', 'next: false', '---', '', `# ${path}`, ''];
  if (!statSync(join(ROOT, path)).isDirectory()) return [...head, ...code(path)].join('\n');
  const files = filesIn(path.replace(/\/$/, ''));
  const bytes = files.reduce((sum, file) => sum + statSync(join(ROOT, file)).size, 0);
  const names = files.map((file) => posix.relative(path, file));
  const body =
    bytes > FOLDER_BYTES
      ? names.map((name) => `- \`${name}\``)
      : files.flatMap((file, index) => [`## ${names[index]}`, '', ...code(file)]);
  return [...head, ...body, ''].join('\n');
}

/** @param {string} file */
function code(file) {
  const language = { '.mjs': 'js', '.md': 'md', '.json': 'json', '.ts': 'ts', '.js': 'js' }[extname(file)] ?? 'text';
  const text = readFileSync(join(ROOT, file), 'utf8').replace(/^ *\/\/ #(end)?region.*\n/gm, '');
  return [`\`\`\`\`${language}`, text.trimEnd(), '````', ''];
}

/**
 * The files below a folder of the repository, without installed or generated ones.
 * @param {string} folder
 * @returns {string[]}
 */
function filesIn(folder) {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules' || entry.name === 'dist') return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesIn(path) : [path];
  });
}

/**
 * @param {string} place
 * @param {string} text
 */
function write(place, text) {
  const file = join(SITE, 'pages', `${place === '/' ? '/index' : place}.md`);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
