// The API reference, from the types in the source: the exports of each entry point, and their parts.
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { moduleOf } from './declarations.mjs';
import { anchorOf } from './links.mjs';

/** @typedef {import('./declarations.mjs').Origin} Origin */
/** @typedef {import('./declarations.mjs').Declaration} Declaration */
/** @typedef {{ readonly path: string, readonly title: string, readonly group: string, readonly text: string }} ApiPage */
/** @typedef {{ readonly name: string, readonly page: string, readonly isPublic: boolean, readonly declaration: Declaration }} Symbol */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The entry points, their folders and pages, in order; a folder without a title has a page of the same name. */
const ENTRIES = [
  {
    name: 'coxswain',
    index: 'packages/sdk/src/index.ts',
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
      ['supervise', 'Restarts'],
      ['pool', 'Pools'],
      ['limits.ts', 'Limits'],
    ]),
  },
  {
    name: 'coxswain/types',
    index: 'packages/sdk/src/type-names.ts',
    slug: 'types',
    titles: new Map([
      ['wire', 'Parts of messages'],
      ['messages', 'Parts of messages'],
      ['callbacks', 'Parts of inputs and options'],
      ['options', 'Parts of inputs and options'],
      ['pool', 'Parts of reports'],
      ['report', 'Parts of reports'],
      ['session', 'Parts of reports'],
      ['stream', 'Parts of reports'],
    ]),
  },
  subpath('observe', 'packages/sdk/src/observe.ts', 'Observers'),
  subpath('mcp', 'packages/sdk/src/mcp/index.ts', 'Tools'),
  subpath('store', 'packages/sdk/src/store/index.ts', 'Session stores'),
  subpath('transcripts', 'packages/sdk/src/transcripts/index.ts', 'Sessions on disk'),
  subpath('cli', 'packages/sdk/src/cli/index.ts', 'The CLI'),
  subpath('transport', 'packages/sdk/src/transport.ts', 'Transports and redaction'),
  subpath('raw', 'packages/sdk/src/raw/index.ts', 'Raw sessions'),
  subpath('errors', 'packages/sdk/src/errors/index.ts', 'Error classes'),
  {
    name: '@coxswain/testkit',
    index: 'packages/testkit/src/index.ts',
    slug: 'testkit',
    titles: new Map([
      ['scripted', 'Scripted CLI'],
      ['fake-api', 'Fake Messages API'],
      ['cassette', 'Record and replay'],
      ['matchers', 'Matchers'],
      ['messages', 'Message factories'],
      ['transport-contract', 'Transport contract'],
      ['store-contract', 'Session store contract'],
    ]),
  },
  {
    name: '@coxswain/rehearsal',
    index: 'packages/rehearsal/src/index.ts',
    slug: 'rehearsal',
    titles: new Map([
      ['rehearse.ts', 'Rehearsals'],
      ['scenario', 'Scenarios'],
      ['stage', 'Stages'],
      ['trace', 'Traces'],
      ['diff', 'Differences'],
      ['report', 'Reports'],
      ['rehearsal-error.ts', 'Errors'],
    ]),
  },
  {
    name: '@coxswain/opentelemetry',
    index: 'packages/opentelemetry/src/index.ts',
    slug: 'opentelemetry',
    titles: new Map([
      ['telemetry.ts', 'Spans and metrics'],
      ['options.ts', 'Options'],
      ['fleet.ts', 'Fleets'],
      ['trace-carrier.ts', 'Propagation'],
    ]),
  },
];

/**
 * An entry point of the SDK with one page.
 * @param {string} slug
 * @param {string} index
 * @param {string} title
 */
function subpath(slug, index, title) {
  return { name: `coxswain/${slug}`, index, slug, titles: new Map([['', title]]) };
}

/** All pages, with an index of every name. */
export function apiPages() {
  const pages = ENTRIES.flatMap(pagesOf);
  const overview = ENTRIES.flatMap(({ name }) => {
    const own = pages.filter(({ group }) => group === name);
    return [`## \`${name}\``, '', ...own.map(({ title, path, names }) => `- [${title}](${path}): ${names}`), ''];
  });
  const intro = 'Every exported name, generated from the types in the source. The guides explain how to use them.';
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
      section(
        symbol,
        symbol.isPublic ? '##' : '###',
        (name) => linkTo(symbols.get(name), entry.slug) ?? linkElsewhere(name),
      );
    const names = open.map(({ name }) => `[\`${name}\`](${path}#${anchorOf(name)})`).join(', ');
    const lines = [`# ${title}`, '', `From \`${entry.name}\`.`, '', ...open.sort(callableFirst).flatMap(show)];
    if (inner.length > 0) {
      lines.push('## Not exported', '', 'Types that the ones above consist of.', '', ...inner.flatMap(show));
    }
    return { path, title, group: entry.name, text: `${lines.join('\n')}\n`, names };
  });
}

/**
 * Everything that an entry exports, under its public name, and the types that these refer to.
 * @param {typeof ENTRIES[number]} entry
 */
function symbolsOf({ index, titles }) {
  /** @type {Map<string, Symbol>} */
  const symbols = new Map();
  const root = dirname(join(ROOT, index));
  const publicNames = publicNamesOf(index);
  const waiting = [...moduleOf(join(ROOT, index)).exported.values()].map(declaring);
  for (let origin = waiting.shift(); origin; origin = waiting.shift()) {
    const name = publicNames.get(keyOf(origin)) ?? origin.name;
    // No entry point repeats what another one documents.
    if (symbols.has(name) || (!publicNames.has(keyOf(origin)) && homes().has(name))) continue;
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

/** @type {Map<string, string> | undefined} */
let pagesByName;

/** The page of each name that an entry point of the SDK exports. */
function homes() {
  pagesByName ??= new Map(
    ENTRIES.filter(({ index }) => index.startsWith('packages/sdk/')).flatMap(({ index, slug, titles }) =>
      [...moduleOf(join(ROOT, index)).exported].map(([name, origin]) => {
        const path = relative(dirname(join(ROOT, index)), declaring(origin).file);
        return /** @type {[string, string]} */ ([name, pathOf(slug, pageTitle(path, titles))]);
      }),
    ),
  );
  return pagesByName;
}

/** @param {string} name */
function linkElsewhere(name) {
  const page = homes().get(name);
  return page && `[\`${name}\`](${page}#${anchorOf(name)})`;
}

/**
 * The names that a file exports, by where they are declared.
 * @param {string} index
 * @returns {Map<string, string>}
 */
function publicNamesOf(index) {
  const { exported } = moduleOf(join(ROOT, index));
  return new Map([...exported].map(([name, origin]) => [keyOf(declaring(origin)), name]));
}

/**
 * Where a name is declared, not only re-exported.
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
 * Functions come before their parameter and return types.
 * @param {Symbol} one
 * @param {Symbol} other
 */
function callableFirst(one, other) {
  const rank = (/** @type {Symbol} */ { declaration }) => (declaration.code.startsWith('function') ? 0 : 1);
  return rank(one) - rank(other);
}

/**
 * Comments are text, not HTML: everything outside backticks is escaped.
 * @param {string} text
 */
function escaped(text) {
  return text.replace(/`[^`]*`|\{@link (\w+)\}|[<>]/g, (part, linked) => {
    if (linked) return `\`${linked}\``;
    return part === '<' ? '&lt;' : part === '>' ? '&gt;' : part;
  });
}
