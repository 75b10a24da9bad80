// npm run docs: writes the reference pages from the tables in the source; with --check: fails if they are out of date.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import ts from 'typescript';
import { argvTable } from '../packages/sdk/src/cli/argv-table.ts';
import { FEATURES_SINCE, FLAGS_SINCE, sessionFeatureOf } from '../packages/sdk/src/cli/feature-gate.ts';
import { codeOf } from '../packages/sdk/src/errors/base.ts';
import { errorTable } from '../packages/sdk/src/errors/table.ts';
import { defaultLimits } from '../packages/sdk/src/limits.ts';
import { optionsTable } from '../packages/sdk/src/options/table-docs.ts';
import { warningTable } from '../packages/sdk/src/warnings/table.ts';
import { compatibilityPage } from './docs/compatibility.mjs';
import { page as pageWith, table } from './docs/markdown.mjs';

const NOTE = 'Made by `npm run docs` from the tables in packages/sdk/src; edit those.';

const pages = {
  'docs/errors.md': errorsPage(),
  'docs/warnings.md': warningsPage(),
  'docs/options.md': optionsPage(),
  'docs/compatibility.md': compatibilityPage(),
};

for (const [path, text] of Object.entries(pages)) {
  const url = new URL(`../${path}`, import.meta.url);
  if (!process.argv.includes('--check')) {
    writeFileSync(url, text);
  } else if (read(url) !== text) {
    console.error(`${path} is out of date: run npm run docs.`);
    process.exitCode = 1;
  }
}

function errorsPage() {
  const families = {
    options: 'Before anything is started',
    start: 'Finding and starting the CLI',
    stream: 'While a run goes on, and at its end',
    control: 'Control operations of a session',
    tool: 'Tools',
  };
  const sections = Object.entries(families).flatMap(([family, title]) => {
    const rows = Object.entries(errorTable)
      .filter(([, row]) => row.family === family)
      .map(([name, row]) => [`\`${name}\`<br>\`${codeOf(name)}\``, row.terminal ? 'yes' : 'no', row.cause, row.remedy]);
    return rows.length === 0
      ? []
      : [`## ${title}`, table(['error and code', 'ends the run', 'cause', 'what to do'], rows)];
  });
  return page(
    'Errors',
    'Every error of the library extends `CoxswainError` and has a `name`, a stable `code`, a `message` for people, often a',
    '`cause`, and the fields named below. `isCoxswainError(value)` knows them, also those of another copy of the package;',
    '`isTerminal(error)` tells whether the run is over. `toJSON()` gives all of it as plain data.',
    ...['', ...sections.flatMap((section) => [section, ''])].slice(0, -1),
  );
}

function warningsPage() {
  const rows = Object.entries(warningTable).map(([code, row]) => [`\`${code}\``, row.cause, row.remedy]);
  return page(
    'Warnings',
    'A warning says something worth knowing that did not stop the run. It is plain data, `{ code, message, context }`, and',
    'reaches `onWarning`, `stream.warnings`, and `stream.items()` at its place among the messages.',
    '',
    table(['code', 'cause', 'what to do'], rows),
  );
}

function optionsPage() {
  const types = propertiesOf('options/groups.ts');
  const limits = propertiesOf('limits.ts');
  const groups = {
    cli: ['CliOptions: what the CLI does', 'The flag is what the option becomes on the command line.'],
    sdk: ['SdkOptions: how the SDK behaves', 'None of these is a flag of the CLI.'],
    session: ['SessionOptions: two-way features', 'For sessions, and for queries that run as one.'],
  };
  const sections = Object.entries(groups).flatMap(([group, [title = '', intro = '']]) => {
    const rows = optionsTable()
      .filter((row) => row.group === group)
      .map(({ name, doc }) => [
        `\`${name}\``,
        flagsOf(name),
        releasesOf(name),
        `\`${types.get(name)?.type ?? ''}\``,
        doc,
      ]);
    const head = ['option', 'flag', 'needs release', 'type', 'what it does'];
    // A group without a single flag needs no column for them.
    const columns = [0, 1, 2, 3, 4].filter((column) => rows.some((row) => row[column] !== ''));
    const pick = (/** @type {readonly string[]} */ cells) => columns.map((column) => cells[column] ?? '');
    return [`## ${title}`, '', intro, '', table(pick(head), rows.map(pick)), ''];
  });
  const limitRows = Object.entries(defaultLimits).map(([name, value]) => [
    `\`${name}\``,
    value.toLocaleString('en'),
    limits.get(name)?.doc ?? '',
  ]);
  return page(
    'Options',
    '`query(prompt, options)` takes all of these flat in one object. They are checked before anything is started, and',
    '`OptionsError` lists everything that is wrong with them at once.',
    '',
    ...sections,
    '## Limits',
    '',
    'Every number the library waits, holds or counts to: `limits: { … }`. Names in `Ms` are milliseconds.',
    '',
    table(['limit', 'default', 'what it bounds'], limitRows),
  );
}

/**
 * What an option becomes on the command line.
 * @param {string} option
 */
function flagsOf(option) {
  const rows = argvTable.filter((row) => row.option === option);
  return rows.map(({ flag }) => `\`${flag}\``).join('<br>');
}

/**
 * The release of the CLI an option needs, when not every supported one will do: for its flag, and in a session.
 * @param {string} option
 */
function releasesOf(option) {
  const rows = argvTable.filter((row) => row.option === option);
  const needed = rows.map(({ flag }) => FLAGS_SINCE[flag] ?? '');
  const feature = sessionFeatureOf(option);
  const inSession = feature === undefined ? undefined : FEATURES_SINCE[feature];
  const lines = [needed.some(Boolean) ? needed.map((since) => since || 'any').join('<br>') : ''];
  const where = option === 'mcpServers' ? ' for tools of the host' : rows.length > 0 ? ' in a session' : '';
  if (inSession !== undefined) lines.push(`${inSession}${where}`);
  if (option === 'hooks') lines.push('[by event](compatibility.md#hook-events)');
  return lines.filter(Boolean).join('<br>');
}

/**
 * Type and comment of every property of the interfaces in a file of the SDK.
 * @param {string} path
 */
function propertiesOf(path) {
  const text = readFileSync(new URL(`../packages/sdk/src/${path}`, import.meta.url), 'utf8');
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  /** @type {Map<string, { type: string, doc: string }>} */
  const properties = new Map();
  for (const statement of source.statements.filter(ts.isInterfaceDeclaration)) {
    for (const member of statement.members.filter(ts.isPropertySignature)) {
      const type = (member.type?.getText() ?? '').replace(/\s*\|\s*undefined$/, '').replace(/\breadonly |\n\s*/g, '');
      const doc = ts.getJSDocCommentsAndTags(member).map((node) => ts.getTextOfJSDocComment(node.comment) ?? '');
      if (!properties.has(member.name.getText())) properties.set(member.name.getText(), { type, doc: doc.join(' ') });
    }
  }
  return properties;
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
