// The part of docs/compatibility.md about parked requests, from the measurements of conformance/parked.
import { readFileSync } from 'node:fs';
import { compareVersions } from '../../packages/shared/src/version.ts';
import { table } from './markdown.mjs';

/** The lines of the section. */
export function parkedRequests() {
  const topics = TOPICS.map(([topic, title]) => ({ topic, title, rows: Object.entries(read(topic)).sort() }));
  const all = topics.flatMap(({ rows }) => rows);
  const versions = [...new Set(all.flatMap(([, words]) => Object.keys(words)))].sort(compareVersions).reverse();
  return [
    '## Parked requests',
    '',
    'A CLI is killed while a permission request waits. The conversation in the session store gets one more entry, a marker: an',
    'attachment of the type `hook_deferred_tool` that names the call, as the CLI itself writes it for `deferTool()`. Another CLI, which',
    'has an empty configuration directory and another working directory, resumes the conversation from the store. It asks again without',
    'a prompt, and the model continues with "Continue from where you left off.".',
    '',
    `Measured on ${versions.join(', ')}. The tests in \`conformance/parked/\` fail when a release does something else.`,
    'The call is not in the store when the request arrives: all four releases mirror it 20 to 150 ms later. A kill before that loses it.',
    '',
    ...topics.flatMap(({ topic, title, rows }) => [
      `### ${title}`,
      '',
      table(
        [`\`${topic}.test.ts\``, 'what happens'],
        rows.map(([tried, words]) => [tried, cell(words, versions)]),
      ),
      '',
    ]),
  ];
}

/** @type {readonly (readonly [string, string])[]} */
const TOPICS = [
  ['calls', 'One parked call'],
  ['several', 'Several calls, subagents and background work'],
  ['servers', 'MCP tools'],
  ['turns', 'The turn of a parked request'],
  ['entries', 'What is stored'],
  ['releases', 'Parked on one release, resumed on another'],
];

/**
 * @param {string} topic
 * @returns {import('../../conformance/parked/measured.ts').Measured}
 */
function read(topic) {
  return JSON.parse(readFileSync(new URL(`../../conformance/parked/measured/${topic}.json`, import.meta.url), 'utf8'));
}

/**
 * What happens, each outcome with the releases that have it; without releases if all are the same.
 * @param {Readonly<Record<string, string>>} words
 * @param {readonly string[]} versions
 */
function cell(words, versions) {
  const outcomes = [...new Set(versions.flatMap((version) => words[version] ?? []))];
  if (outcomes.length === 1 && Object.keys(words).length === versions.length) return outcomes[0] ?? '';
  const having = (/** @type {string} */ outcome) => versions.filter((version) => words[version] === outcome).join(', ');
  return outcomes.map((outcome) => `**${having(outcome)}**: ${outcome}`).join('<br>');
}
