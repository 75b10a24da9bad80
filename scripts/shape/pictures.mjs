// The pictures of docs/architecture.md.
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import ts from 'typescript';
import { draw } from './drawing.mjs';
import { fileOf } from './traced.mjs';

/** @typedef {import('./drawing.mjs').Step} Step */
/** @typedef {import('./drawing.mjs').Column} Column */

/** @type {readonly Column[]} */
const CORE = [
  { name: 'what the caller uses', folders: ['query', 'session', 'raw', 'pool', 'restart', 'launch'] },
  { name: 'turns', folders: ['conversation'] },
  { name: 'one CLI process', folders: ['connection'], marked: true },
  { name: 'bytes', folders: ['process', 'wire'] },
];
/** @type {Column} */
const READ = { name: 'what the caller reads', folders: ['stream'] };

const TRACED = [
  'Drawn by npm run do -- shape from a trace of calls. The numbers are the order of the calls from file to file; returns are left out.',
  'The CLI of the trace has a transport of its own: given-transport and given-output. A child process has child and child-pipes there.',
];

/** @type {readonly Column[]} */
const PAGE = [
  { name: 'source', folders: ['sources/process'] },
  { name: 'record', folders: ['conversations', 'transcript'] },
  { name: 'journal', folders: ['journal'] },
  { name: 'stream', folders: ['server'] },
  { name: 'page', folders: ['page/connection', 'page/transcript'] },
];

/** Where the page takes the events: it runs in a browser, so it has no part in the trace. */
const IN_BROWSER = ['page/connection/event-stream.ts', 'page/transcript/entries.ts', 'page/transcript/transcript.tsx'];

/** @type {readonly Column[]} */
const FLEET = [
  { name: 'phase', folders: [], first: true },
  { name: 'worker', folders: ['worker', 'fleet', 'agent'] },
  { name: 'rules', folders: ['turn', 'lease'] },
  { name: 'queue', folders: ['queue'] },
  { name: 'PostgreSQL', folders: ['database'], marked: true },
];

/** The phases of a turn, and the file in which each begins. */
const PHASES = {
  submit: 'fleet/submit.ts',
  claim: 'worker/claim.ts',
  run: 'worker/run.ts',
  commit: 'worker/writer.ts',
};

/**
 * The pictures, by path.
 * @param {string} root
 * @param {import('./traced.mjs').CoreTraces['five']} five
 * @param {import('./traced.mjs').Recording} toPage
 * @returns {Record<string, string>}
 */
export function pictures(root, five, toPage) {
  const rows = (/** @type {'out' | 'back'} */ direction, /** @type {readonly string[]} */ leftOut) =>
    Object.entries(five).map(([name, way]) => ({ name, steps: stepsOf(way[direction].path, leftOut) }));
  return {
    'docs/images/prompt-out.svg': draw({
      title: 'A prompt goes out: five ways, one connection',
      columns: CORE,
      rows: rows('out', READ.folders),
      notes: TRACED,
    }),
    'docs/images/message-back.svg': draw({
      title: 'A message comes back: five ways, one reader',
      columns: [READ, ...CORE],
      rows: rows('back', []),
      notes: TRACED,
    }),
    'docs/images/inspector-way.svg': draw({
      title: 'A message on its way to the page of the inspector',
      columns: PAGE,
      rows: [{ name: 'message', steps: [...stepsOf(toPage.path, []), ...inBrowser(root, toPage.path)] }],
      notes: [
        'Drawn by npm run do -- shape from a trace of calls in packages/inspector/src. Dashed: over HTTP, and in the browser.',
      ],
    }),
    'docs/images/fleet-way.svg': draw({
      title: 'A turn of a fleet: what each of its four phases uses',
      columns: FLEET,
      rows: Object.entries(PHASES).map(([name, file], index) => ({
        name,
        follows: index > 0,
        steps: [file, ...valueImports(join(root, 'packages/fleet/src'), file)].map((to) => ({ to })),
      })),
      notes: [
        'Drawn by npm run do -- shape from the imports of packages/fleet/src, without types. Dashed: the next phase. submit and claim share only the database.',
      ],
    }),
  };
}

/**
 * From functions to files. A function that is on the path again has only continued: the next step starts from it.
 * @param {readonly string[]} path
 * @param {readonly string[]} leftOut folders
 */
function stepsOf(path, leftOut) {
  /** @type {Step[]} */
  const steps = [];
  const seen = new Set();
  /** @type {string | undefined} */
  let from;
  for (const place of path) {
    const to = fileOf(place);
    if (leftOut.includes(to.slice(0, to.indexOf('/')))) continue;
    if (!seen.has(place) && to !== from) steps.push({ from, to, number: steps.length + 1 });
    seen.add(place);
    from = to;
  }
  return steps;
}

/**
 * @param {string} root
 * @param {readonly string[]} path
 */
function inBrowser(root, path) {
  const missing = IN_BROWSER.filter((file) => !existsSync(join(root, 'packages/inspector/src', file)));
  if (missing.length > 0)
    throw new Error(`The picture of the page names files that do not exist: ${missing.join(', ')}`);
  const from = fileOf(path.at(-1) ?? '');
  return IN_BROWSER.map((to, index) => ({ from: IN_BROWSER[index - 1] ?? from, to, loose: true }));
}

/**
 * The files in folders that a file imports values from.
 * @param {string} folder
 * @param {string} path
 */
function valueImports(folder, path) {
  const { statements } = ts.createSourceFile(
    path,
    readFileSync(join(folder, path), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  return statements
    .filter(ts.isImportDeclaration)
    .filter(({ importClause }) => importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword)
    .map(({ moduleSpecifier }) => (ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : ''))
    .filter((name) => name.startsWith('.'))
    .map((name) => posix.join(posix.dirname(path), name))
    .filter((name) => name.includes('/'));
}
