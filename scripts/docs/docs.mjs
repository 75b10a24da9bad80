// npm run docs: writes the reference pages from tables and comments of the source; with --check: fails if they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { comparedField, knownHookEvents } from '../../packages/sdk/src/callbacks/abilities.ts';
import { FEATURES_SINCE, OPTION_FEATURES } from '../../packages/sdk/src/cli/feature-gate.ts';
import { codeOf } from '../../packages/sdk/src/errors/base.ts';
import { defaultLimits } from '../../packages/sdk/src/limits.ts';
import { flagTable } from '../../packages/sdk/src/options/flag-table.ts';
import { compatibilityPage } from './compatibility.mjs';
import { dropInDifferencesPage } from './drop-in-differences.mjs';
import { errorTable } from './error-table.ts';
import { page as pageWith, table } from './markdown.mjs';
import { allLimits, optionsOf } from './option-table.ts';
import { updateSnippets } from './snippets.mjs';
import { allMetrics, namesIn } from './telemetry-table.ts';
import { warningTable } from './warning-table.ts';

const NOTE = 'Made by `npm run docs` from scripts/docs and the comments in packages/sdk/src; edit those.';

/** The column "ends the run". */
const ENDS = { run: 'yes', call: 'no: only this call fails', line: 'no: the stream continues' };

const pages = {
  'docs/errors.md': errorsPage(),
  'docs/warnings.md': warningsPage(),
  'docs/options.md': optionsPage(),
  'docs/compatibility.md': compatibilityPage(),
  'docs/guides/opentelemetry-reference.md': telemetryPage(),
  'docs/drop-in-differences.md': dropInDifferencesPage(),
  'docs/guides/hooks-table.md': hooksTablePage(),
  'packages/inspector/src/transcript/remedies.json': remedies(),
};

for (const [path, text] of Object.entries(pages)) {
  const url = new URL(`../../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(url, text);
  } else if (read(url) !== text) {
    console.error(`${path} is out of date: run npm run docs.`);
    process.exitCode = 1;
  }
}

for (const problem of updateSnippets({ check: process.argv.includes('--check') })) {
  console.error(problem);
  process.exitCode = 1;
}

/** The page with the table of matchers; the rest of it is written by hand. */
function hooksTablePage() {
  const fields = [...new Set(knownHookEvents.map(comparedField))];
  const rows = fields.map((field) => [
    field === undefined ? 'not known' : field === null ? 'nothing: the hook is called every time' : `\`${field}\``,
    knownHookEvents
      .filter((event) => comparedField(event) === field)
      .map((event) => `\`${event}\``)
      .join(', '),
  ]);
  const [begin, end] = ['abilities.ts. -->\n', '<!-- End of the generated part. -->'];
  const page = read(new URL('../../docs/guides/hooks-table.md', import.meta.url)) ?? '';
  const [before = ''] = page.split(begin);
  const after = page.slice(page.indexOf(end));
  return `${before}${begin}\n${table(['compared with', 'events'], rows)}\n\n${after}`;
}

/** The advice for each error and warning by code, for programs that display them. */
function remedies() {
  const errors = Object.entries(errorTable).map(([name, row]) => [codeOf(name), row.remedy]);
  const warnings = Object.entries(warningTable).map(([code, row]) => [code, row.remedy]);
  return `${JSON.stringify(Object.fromEntries([...errors, ...warnings]), null, 2)}\n`;
}

function errorsPage() {
  const families = {
    options: 'Before anything is started',
    start: 'Finding and starting the CLI',
    stream: 'During a run, and at its end',
    control: 'Control operations of a session',
    tool: 'Tools',
  };
  const sections = Object.entries(families).flatMap(([family, title]) => {
    const rows = Object.entries(errorTable)
      .filter(([, row]) => row.family === family)
      .map(([name, row]) => [`\`${name}\`<br>\`${codeOf(name)}\``, ENDS[row.ends], row.cause, row.remedy]);
    return rows.length === 0
      ? []
      : [`## ${title}`, table(['error and code', 'ends the run', 'cause', 'what to do'], rows)];
  });
  return page(
    'Errors',
    'Every error of the library extends `CoxswainError` and has a `name`, a stable `code`, a `message` for people, often a',
    '`cause`, and the fields named below. `isCoxswainError(error)` recognises them, including those of another copy of the',
    "package; `isCoxswainError(error, 'turn-interrupted')` and `switch (error.code)` narrow to the fields of one error. The",
    'classes come from `coxswain/errors`. `toJSON()` returns all of it as plain data.',
    '',
    'A run is a query, a turn, a job or a session. The errors of single operations fail only the call that they reject.',
    'An error that a stream throws has ended it; an error that does not is an item of `items()`.',
    ...['', ...sections.flatMap((section) => [section, ''])].slice(0, -1),
  );
}

function warningsPage() {
  const rows = Object.entries(warningTable).map(([code, row]) => [`\`${code}\``, row.cause, row.remedy]);
  return page(
    'Warnings',
    'A warning reports a problem that did not stop the run. It is plain data, `{ code, message, context }`, and is passed to',
    '`onWarning`, to `items()` of the query, turn or job at its place among the messages, and to `warnings` of a query.',
    '',
    table(['code', 'cause', 'what to do'], rows),
  );
}

function optionsPage() {
  /** @type {readonly [import('./option-table.ts').OptionGroup, string, string][]} */
  const groups = [
    ['CliOptions', 'what the CLI does', 'The flag is what the option becomes on the command line.'],
    ['SdkOptions', 'how the SDK behaves', 'None of these is a flag of the CLI.'],
    ['TwoWayOptions', 'two-way features', 'For sessions, and for queries that run as one.'],
  ];
  const sections = groups.flatMap(([group, title, intro]) => {
    const rows = optionsOf(group).map(({ name, type, doc }) => [
      `\`${name}\``,
      flagsOf(name),
      releasesOf(name),
      `\`${type}\``,
      doc,
    ]);
    const head = ['option', 'flag', 'needs release', 'type', 'what it does'];
    // A group without any flag needs no column for them.
    const columns = [0, 1, 2, 3, 4].filter((column) => rows.some((row) => row[column] !== ''));
    const pick = (/** @type {readonly string[]} */ cells) => columns.map((column) => cells[column] ?? '');
    return [`## ${group}: ${title}`, '', intro, '', table(pick(head), rows.map(pick)), ''];
  });
  const defaults = new Map(Object.entries(defaultLimits));
  const limitRows = allLimits().map(({ name, doc }) => [
    `\`${name}\``,
    Number(defaults.get(name)).toLocaleString('en'),
    doc,
  ]);
  return page(
    'Options',
    '`query(prompt, options)` and `openSession(options)` take all of these in one flat object. They are checked before',
    'anything is started, and `OptionsError` lists all problems together. `openSession` also takes',
    '[`restart`](guides/restart.md) and [`parked`](guides/parked-requests.md).',
    '',
    ...sections,
    '## Limits',
    '',
    'Timeouts and the sizes of buffers and queues: `limits: { … }`. Names that end in `Ms` are milliseconds.',
    '',
    table(['limit', 'default', 'what it bounds'], limitRows),
  );
}

function telemetryPage() {
  const names = (/** @type {Parameters<typeof namesIn>[0]} */ of, /** @type {string} */ head) =>
    table(
      [head, 'what it is'],
      namesIn(of).map(({ name, doc }) => [`\`${name}\``, doc]),
    );
  const metricRows = allMetrics().map(({ name, kind, unit, description, withCli }) => [
    `\`${name}\``,
    kind,
    `\`${unit}\``,
    description,
    withCli ? 'yes' : 'no',
  ]);
  return pageWith(
    'Made by `npm run docs` from packages/opentelemetry/src/names.ts; edit that.',
    'OpenTelemetry: spans, attributes and metrics',
    'The names of `@coxswain/opentelemetry`; the [guide](opentelemetry.md) explains how they are used.',
    '',
    '## Spans',
    '',
    names('spanNames', 'span'),
    '',
    '## Span events',
    '',
    names('eventNames', 'event'),
    '',
    '## Attributes',
    '',
    names('attributeNames', 'attribute'),
    '',
    '## Metrics',
    '',
    "Those with *no* in the last column are left out with `cliTelemetry: 'cli'`, because the CLI reports the same.",
    '',
    table(['metric', 'instrument', 'unit', 'what it counts', "with `'cli'`"], metricRows),
  );
}

/**
 * The flag of an option on the command line.
 * @param {string} option
 */
function flagsOf(option) {
  const rows = flagTable.filter((row) => row.option === option);
  return rows.map(({ flag }) => `\`${flag}\``).join('<br>');
}

/**
 * The release of the CLI an option needs, if newer than the oldest supported one: for its flag, and in a session.
 * @param {string} option
 */
function releasesOf(option) {
  const rows = flagTable.filter((row) => row.option === option);
  const needed = rows.map(({ since = '' }) => since);
  const feature = OPTION_FEATURES.find(([name]) => name === option)?.[1];
  const inSession = feature === undefined ? undefined : FEATURES_SINCE[feature];
  const lines = [needed.some(Boolean) ? needed.map((since) => since || 'any').join('<br>') : ''];
  if (inSession !== undefined) lines.push(`${inSession} in a session`);
  if (option === 'hooks') lines.push('[by event](compatibility.md#hook-events)');
  return lines.filter(Boolean).join('<br>');
}

/**
 * @param {string} title
 * @param {readonly string[]} lines
 */
function page(title, ...lines) {
  return pageWith(NOTE, title, ...lines);
}

/** @param {URL} url */
function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return undefined;
  }
}
