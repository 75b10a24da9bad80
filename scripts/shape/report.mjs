// The figures of two checkouts as Markdown.
import { table } from '../docs/markdown.mjs';

/** @typedef {ReturnType<typeof import('./figures.mjs').countFigures>} Figures */
/** @typedef {ReturnType<typeof import('./traced.mjs').countsOf>} WayCounts */
/** @typedef {Figures & { readonly commit: string, readonly ways: Readonly<Record<string, WayCounts>> }} Shape */

/**
 * @param {Shape} before
 * @param {Shape} now
 */
export function report(before, now) {
  const head = ['', `before (${before.commit})`, 'now'];
  return [
    table(head, rows.map(([name, cell]) => [name, cell(before), cell(now)]).concat(cycleRows(before, now))),
    '',
    'The middle is `connection/`, `conversation/`, `session/`, `query/`, `raw/` and `restart/` (before: `session/`, `query/`, `raw/`',
    'and `supervise/`). A field tracks the end if it can change and its name contains a word for it:',
    '',
    ...[before, now].map(({ ending }, index) => `- ${index === 0 ? 'before' : 'now'}: ${fieldList(ending)}`),
    '',
    table(
      ['way', 'functions on its path', 'objects on its path', 'functions run'],
      Object.keys(now.ways).map((name) => [
        name,
        ...['path', 'objects', 'run'].map((key) => change(before.ways[name], now.ways[name], key)),
      ]),
    ),
    '',
    ...DEFINITION,
  ].join('\n');
}

const DEFINITION = [
  'Before → now. Each way is played on the in-memory CLI of the testkit, on sources in which every function reports that it is',
  'entered. It begins with its cause: a line of the CLI is passed to the reader, or the call of `close()`, `submit()` or `send()`.',
  'It ends with its effect: the iterator yields the message, the line is written, or the exit report is there. The path holds the',
  'functions without which the effect would not happen: the call stack of the effect, then the stack in which the promise was',
  'resolved that it waited for, and so on back to the cause. Its objects are the classes of these functions, and files for functions',
  'outside a class. All other functions that run in between, such as checks, getters and observers, are in the last column only. The',
  'job runs in a warm session of its pool; the turn is its prompt on the way out and its result on the way back.',
];

/** @type {readonly (readonly [string, (shape: Shape) => string])[]} */
const rows = [
  ['classes that start a CLI process for a run', ({ starts }) => placeList(starts)],
  ['places that end one', ({ ends }) => placeList(ends)],
  ['fields in the middle that track the end', ({ ending }) => String(ending.length)],
  ['files / lines of the middle', ({ middle }) => size(middle)],
  ['files / lines of `packages/sdk/src`', ({ core }) => size(core)],
  ['files / lines of `packages/shared/src`, which all packages bundle', ({ shared }) => size(shared)],
  ['public names of `coxswain` / of all its entries', ({ names }) => `${names.coxswain} / ${names.all}`],
  ['of the other entries', ({ names }) => otherNames(names)],
];

/**
 * @param {Shape} before
 * @param {Shape} now
 */
function cycleRows(before, now) {
  const cell = (/** @type {Shape} */ { cycles }, /** @type {string} */ name) => {
    const { cycles: count = 0, files = 0, largest = 0 } = cycles[name] ?? {};
    return count === 0 ? 'none' : `${count} with ${files} files, the largest ${largest}`;
  };
  return Object.keys(now.cycles)
    .filter((name) => (before.cycles[name]?.cycles ?? 0) + (now.cycles[name]?.cycles ?? 0) > 0)
    .map((name) => [`import cycles of \`packages/${name}\`, types counted`, cell(before, name), cell(now, name)]);
}

/** @param {{ files: number, lines: number }} of */
function size({ files, lines }) {
  return `${files} / ${lines.toLocaleString('en')}`;
}

/** @param {Readonly<Record<string, number>>} names */
function otherNames(names) {
  const entries = Object.entries(names).filter(([entry]) => entry.startsWith('coxswain/'));
  return entries.map(([entry, count]) => `\`${entry.slice('coxswain/'.length)}\` ${count}`).join(', ');
}

/** @param {readonly string[]} places */
function placeList(places) {
  return `${places.length}: ${places.map((place) => `\`${place.split(' ')[1]}\``).join(', ')}`;
}

/** @param {readonly string[]} fields */
function fieldList(fields) {
  return fields.map((field) => `\`${field.split(' ')[1]}\``).join(', ');
}

/**
 * @param {WayCounts | undefined} before
 * @param {WayCounts | undefined} now
 * @param {string} key
 */
function change(before, now, key) {
  const [from, to] = [before, now].map((counts) => new Map(Object.entries(counts ?? {})).get(key) ?? '–');
  return `${from} → ${to}`;
}
