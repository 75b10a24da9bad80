// docs/compatibility.md, from what npm run conformance has measured.
import { readFileSync } from 'node:fs';
import { GROUPS } from '../../conformance/matrix/probe.ts';
import { MINIMUM_QUERY_VERSION, MINIMUM_SESSION_VERSION } from '../../packages/sdk/src/cli/version.ts';
import { page, table } from './markdown.mjs';

/** @typedef {import('../../conformance/matrix/compatibility.ts').Compatibility} Compatibility */
/** @typedef {import('../../conformance/matrix/compatibility.ts').FeatureRecord} FeatureRecord */
/** @typedef {import('../../conformance/matrix/compatibility.ts').ReleaseRecord} ReleaseRecord */

const NOTE = 'Made by `npm run docs` from docs/compatibility.json, which `npm run conformance` writes.';

/** @returns {Compatibility} */
function readCompatibility() {
  return JSON.parse(readFileSync(new URL('../../docs/compatibility.json', import.meta.url), 'utf8'));
}

/** @type {readonly (readonly [string, string])[]} */
const EVIDENCE = [
  ['turns:lifecycle', '`started` comes before the `init` of the run; a run that starts before it is not the prompt’s'],
  ['turns:init', 'the prompts of the run'],
  ['turns:result', 'the prompts that ended with the run'],
  ['turns:origin', 'nobody sent a prompt for the run'],
];

/**
 * @param {readonly FeatureRecord[]} features
 * @param {string} id
 * @param {string} follows
 */
function evidenceRow(features, id, follows) {
  const feature = features.find((one) => one.id === id);
  if (!feature) throw new Error(`There is no feature ${id}.`);
  return `| ${feature.title} | ${feature.since ?? MINIMUM_SESSION_VERSION} | ${follows} |`;
}

/** The page about the releases of the CLI. */
export function compatibilityPage() {
  const { newest, features, releases } = readCompatibility();
  /** @type {string[]} */
  const notes = [];
  const sections = GROUPS.flatMap((group) => {
    const rows = features
      .filter((feature) => feature.group === group)
      .map((feature) => [
        nameOf(feature),
        sinceOf(feature),
        ...releases.map((release) => markOf(release, feature.id, notes)),
      ]);
    const head = [group, 'since', ...releases.map(({ version }) => version)];
    return [`### ${capital(group)}`, '', table(head, rows), ''];
  });
  return page(
    NOTE,
    'Compatibility',
    '## Which CLI releases work',
    '',
    `Queries run on Claude Code ${MINIMUM_QUERY_VERSION} and newer, sessions on ${MINIMUM_SESSION_VERSION} and newer; up to`,
    `${newest} everything here was measured, on Linux, against a fake Messages API. An older CLI is refused with`,
    '`UnsupportedCliVersionError`. What came later is refused on a CLI that is known to lack it, with the release that is',
    'needed: an option with `UnsupportedOptionError` before a prompt is sent, an operation of a session with',
    '`UnsupportedRequestError` before anything is sent, since older releases do not answer what they do not know. Where the',
    "version cannot be found out, the CLI decides. `cli: 'pinned'` installs a release that has everything.",
    '',
    'What a hook or a permission callback *answers* cannot be checked beforehand: see the tables below for the releases that',
    'obey it. A PreToolUse hook that denies is obeyed by every release that runs sessions; `modify` and `ask` are overlooked by',
    'releases before those named below, and the tool runs as it was called.',
    '',
    '## The first release of each feature',
    '',
    'Found by bisection over all published releases (`npm run conformance -- --bisect all`): the first release that has the',
    'feature, where the release before it was measured and lacks it. What is not listed here works on the oldest release',
    'that can run it.',
    '',
    ...firstReleases(GROUPS.flatMap((group) => features.filter((feature) => feature.group === group))),
    '',
    '## Which turn a frame belongs to',
    '',
    'A run is what the CLI does between an `init` and a `result`. It takes up one or more prompts, or none when the CLI starts it',
    'because a background task has ended. A session decides by what the frames say, not by the release:',
    '',
    '| what a frame says | first release | what follows from it |',
    '| --- | --- | --- |',
    ...EVIDENCE.map(([id, follows]) => evidenceRow(features, id, follows)),
    `| the user message is repeated with its uuid (\`--replay-user-messages\`) | ${MINIMUM_SESSION_VERSION} | the run is that prompt's |`,
    '',
    'Without `command_lifecycle` a run is decided by the repeated message, by the `origin` of its result, or because nothing else',
    'can have started it. A prompt that a hook refuses, and a slash command, are not repeated: their run ends with a result',
    'without `origin`. Releases without `origin` cannot be told apart there: do not send prompts beside background work on them.',
    '',
    '## Every feature on every release',
    '',
    '✓ works as documented · – not there; the SDK refuses it where it can · ✗ not there, and nothing tells ·',
    '≠ works in another way (notes below) · empty: needs a session, which this release does not run.',
    '',
    ...sections,
    ...(notes.length === 0 ? [] : ['### Notes', '', ...notes.map((note, index) => `${index + 1}. ${note}`), '']),
    ...notJson(releases),
    ...suites(releases),
    '## Measuring again',
    '',
    '```sh',
    'npm run conformance -- --cli 1.0.128,2.0.77   # every probe on these releases',
    'npm run conformance -- --table --suite        # all releases of this page, with the test suite',
    'npm run conformance -- --bisect set_model     # the first release of a feature',
    'npm run conformance -- --newest               # what the newest release has that nothing here knows',
    '```',
    '',
    'Releases come from the npm registry into `.cache/cli`, and run in an empty home with a made-up key.',
  );
}

/** @param {readonly ReleaseRecord[]} releases */
function notJson(releases) {
  const bad = releases.filter(({ nonJsonLines }) => nonJsonLines > 0);
  const named = bad.map(({ version, nonJsonLines }) => `${version} (${nonJsonLines})`).join(', ');
  const text = named === '' ? 'None, on any of these releases.' : `${named}; none on the others.`;
  return ['### Lines on stdout that were not JSON', '', text, ''];
}

/** @param {readonly ReleaseRecord[]} releases */
function suites(releases) {
  const rows = releases.flatMap(({ version, suite }) =>
    suite ? [[version, String(suite.passed), String(suite.failed), String(suite.skipped)]] : [],
  );
  if (rows.length === 0) return [];
  return [
    '## The test suite',
    '',
    'The suite in `conformance/` is written for the releases it is run on in every build, and asserts what exactly these do.',
    'On others it also counts as failed what is merely different, so the numbers say how near a release is to them.',
    '',
    table(['release', 'passed', 'failed', 'skipped'], rows),
    '',
  ];
}

/** @param {readonly FeatureRecord[]} features */
function firstReleases(features) {
  const listed = features.filter(({ lackedBy }) => lackedBy !== undefined);
  const rows = listed.map((feature) => [
    feature.group,
    nameOf(feature),
    `**${feature.since}**`,
    feature.lackedBy ?? '',
  ]);
  return [table(['', 'feature', 'first release', 'last without'], rows)];
}

/** @param {FeatureRecord} feature */
function nameOf({ id, group, title }) {
  return group === 'flags' ? `\`${id}\` (${title})` : title;
}

/** @param {FeatureRecord} feature */
function sinceOf({ since }) {
  return since ?? '';
}

/**
 * @param {ReleaseRecord} release
 * @param {string} id
 * @param {string[]} notes
 */
function markOf({ verdicts }, id, notes) {
  const word = verdicts[id];
  if (word === undefined || word === `needs ${MINIMUM_SESSION_VERSION}`) return '';
  if (word === 'yes') return '✓';
  if (word.startsWith('needs')) return '–';
  if (word.startsWith('no')) return id.startsWith('--') ? '–' : '✗';
  const note = `\`${id}\`: ${word.replace(/^differs: /, '')}`;
  if (!notes.includes(note)) notes.push(note);
  return `≠ ${notes.indexOf(note) + 1}`;
}

/** @param {string} text */
function capital(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
