// The API reference, from the types in the source: what each entry point exports, and what that is made of.
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleOf } from './declarations.mjs';
import { anchorOf } from './links.mjs';

/** @typedef {import('./declarations.mjs').Origin} Origin */
/** @typedef {import('./declarations.mjs').Declaration} Declaration */
/** @typedef {{ readonly path: string, readonly title: string, readonly group: string, readonly text: string }} ApiPage */
/** @typedef {{ readonly name: string, readonly page: string, readonly isPublic: boolean, readonly declaration: Declaration }} Symbol */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The folders of a package and their pages, in order; a folder that is not named gets a page of its own name. */
const ENTRIES = [
  {
    name: 'coxswain',
    folder: 'packages/sdk/src',
    slug: 'coxswain',
    titles: new Map([
      ['query', 'Queries'],
      ['stream', 'Queries'],
      ['session', 'Sessions'],
      ['options', 'Options'],
      ['mcp', 'Options'],
      ['hooks', 'Hooks'],
      ['permissions', 'Permissions'],
      ['control', 'Control operations'],
      ['messages', 'Message helpers'],
      ['wire', 'Message types'],
      ['errors', 'Errors'],
      ['warnings', 'Warnings'],
      ['client', 'Clients'],
      ['supervise', 'Supervision'],
      ['pool', 'Pools'],
      ['transcripts', 'Sessions on disk'],
      ['cli', 'The CLI'],
      ['process', 'Transports'],
      ['limits.ts', 'Limits and redaction'],
      ['redact.ts', 'Limits and redaction'],
    ]),
  },
  { name: 'coxswain/mcp', folder: 'packages/sdk/src/mcp', slug: 'mcp', titles: new Map([['', 'Tools']]) },
  {
    name: '@coxswain/testkit',
    folder: 'packages/testkit/src',
    slug: 'testkit',
    titles: new Map([
      ['scripted', 'Scripted CLI'],
      ['fake-api', 'Fake Messages API'],
      ['cassette', 'Record and replay'],
      ['matchers', 'Matchers'],
      ['messages', 'Message factories'],
      ['transport-contract', 'Transport contract'],
    ]),
  },
];

/** All pages, with an index of every name. */
export function apiPages() {
  const pages = ENTRIES.flatMap(pagesOf);
  const overview = ENTRIES.flatMap(({ name }) => {
    const own = pages.filter(({ group }) => group === name);
    return [`## \`${name}\``, '', ...own.map(({ title, path, names }) => `- [${title}](${path}): ${names}`), ''];
  });
  const intro = 'Every name the packages export, from the types in the source. The guides say what they are for.';
  return [
    {
      path: '/api/index',
      title: 'API',
      group: 'API',
      text: ['# API reference', '', intro, '', ...overview].join('\n'),
    },
    ...pages.map(({ names, ...page }) => page),
  ];
}

/** @param {typeof ENTRIES[number]} entry */
function pagesOf(entry) {
  const symbols = symbolsOf(entry);
  /** @type {Map<string, Symbol[]>} */
  const byPage = new Map();
  for (const symbol of symbols.values()) byPage.set(symbol.page, [...(byPage.get(symbol.page) ?? []), symbol]);
  const order = [...new Set([...entry.titles.values(), ...byPage.keys()])].filter((title) => byPage.has(title));
  return order.map((title) => {
    const members = byPage.get(title) ?? [];
    const path = pathOf(entry.slug, title);
    const open = members.filter(({ isPublic }) => isPublic);
    const inner = members.filter(({ isPublic }) => !isPublic);
    const show = (/** @type {Symbol} */ symbol) =>
      section(symbol, symbol.isPublic ? '##' : '###', (name) => linkTo(symbols.get(name), entry.slug));
    const names = open.map(({ name }) => `[\`${name}\`](${path}#${anchorOf(name)})`).join(', ');
    const lines = [`# ${title}`, '', `From \`${entry.name}\`.`, '', ...open.sort(callableFirst).flatMap(show)];
    if (inner.length > 0) {
      lines.push('## Not exported', '', 'What the types above are made of.', '', ...inner.flatMap(show));
    }
    return { path, title, group: entry.name, text: `${lines.join('\n')}\n`, names };
  });
}

/**
 * What an entry exports, under the names it exports it by, and everything of the package that this is made of.
 * @param {typeof ENTRIES[number]} entry
 */
function symbolsOf({ folder, titles }) {
  /** @type {Map<string, Symbol>} */
  const symbols = new Map();
  const root = join(ROOT, folder);
  const exported = [...moduleOf(join(root, 'index.ts')).exported];
  /** @type {Map<string, string>} */
  const publicNames = new Map(exported.map(([name, origin]) => [keyOf(declaring(origin)), name]));
  const waiting = exported.map(([, origin]) => declaring(origin));
  for (let origin = waiting.shift(); origin; origin = waiting.shift()) {
    const name = publicNames.get(keyOf(origin)) ?? origin.name;
    if (symbols.has(name)) continue;
    const { declared, imported } = moduleOf(origin.file);
    const declaration = declared.get(origin.name);
    if (!declaration) continue;
    const named = declaration.names.flatMap((used) => {
      const from = imported.get(used) ?? (declared.has(used) ? { file: origin.file, name: used } : undefined);
      return from ? [declaring(from)] : [];
    });
    waiting.push(...named);
    const names = named.map((used) => publicNames.get(keyOf(used)) ?? used.name).filter((used) => used !== name);
    symbols.set(name, {
      name,
      page: pageTitle(relative(root, origin.file), titles),
      isPublic: publicNames.has(keyOf(origin)),
      declaration: { ...declaration, names: [...new Set(names)] },
    });
  }
  return symbols;
}

/**
 * Where a name is declared, not only handed on.
 * @param {Origin} origin
 * @returns {Origin}
 */
function declaring(origin) {
  const { declared, exported } = moduleOf(origin.file);
  const next = declared.has(origin.name) ? undefined : exported.get(origin.name);
  return next ? declaring(next) : origin;
}

/** @param {Origin} origin */
function keyOf({ file, name }) {
  return `${file}#${name}`;
}

/**
 * @param {string} path from the folder of the entry
 * @param {ReadonlyMap<string, string>} titles
 */
function pageTitle(path, titles) {
  const folder = path.split('/')[0] ?? '';
  return titles.get('') ?? titles.get(folder) ?? folder;
}

/**
 * @param {Symbol} symbol
 * @param {string} level
 * @param {(name: string) => string | undefined} link
 * @returns {string[]}
 */
function section({ name, declaration: { doc, throws, code, names } }, level, link) {
  const uses = names.flatMap((used) => link(used) ?? []);
  return [
    `${level} ${name}`,
    '',
    ...(doc ? [escaped(doc), ''] : []),
    '```ts',
    code,
    '```',
    '',
    ...(throws ? [`Throws: ${escaped(throws)}`, ''] : []),
    ...(uses.length > 0 ? [`Uses ${uses.join(', ')}.`, ''] : []),
  ];
}

/**
 * @param {Symbol | undefined} symbol
 * @param {string} slug
 */
function linkTo(symbol, slug) {
  return symbol && `[\`${symbol.name}\`](${pathOf(slug, symbol.page)}#${anchorOf(symbol.name)})`;
}

/**
 * @param {string} slug
 * @param {string} title
 */
function pathOf(slug, title) {
  return `/api/${slug}/${anchorOf(title)}`;
}

/**
 * Functions come before what they take and give.
 * @param {Symbol} one
 * @param {Symbol} other
 */
function callableFirst(one, other) {
  const rank = (/** @type {Symbol} */ { declaration }) => (declaration.code.startsWith('function') ? 0 : 1);
  return rank(one) - rank(other);
}

/**
 * Comments are text, not HTML: what stands outside backticks is escaped.
 * @param {string} text
 */
function escaped(text) {
  return text.replace(/`[^`]*`|\{@link (\w+)\}|[<>]/g, (part, linked) => {
    if (linked) return `\`${linked}\``;
    return part === '<' ? '&lt;' : part === '>' ? '&gt;' : part;
  });
}
