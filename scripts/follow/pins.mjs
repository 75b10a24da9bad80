import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A release of the CLI, the official SDK that belongs to it, and the first drop-in for it.
 * @typedef {{ cli: string, sdk: string, dropIn: string }} Release
 */

const DROP_IN = '@coxswain/drop-in@{dropIn}';
const DEPENDENCY = '"@coxswain/drop-in": "{dropIn}"';
const OFFICIAL = '"@anthropic-ai/claude-agent-sdk": "{sdk}"';

/**
 * Every text that names the pinned release. Texts that report a measurement name the release that was measured, and stay.
 * @type {readonly (readonly [file: string, ...texts: string[]])[]}
 */
export const PINS = [
  ['packages/sdk/src/cli/version.ts', "PINNED_VERSION = '{cli}'"],
  ['conformance/releases.json', '"pinned": "{cli}"', '"tested": ["{cli}"', ', "{cli}"]'],
  ['packages/drop-in/package.json', '"version": "{dropIn}"'],
  ['conformance/package.json', DEPENDENCY],
  ['bench/package.json', DEPENDENCY],
  ['examples/package.json', DEPENDENCY],
  ['packages/drop-in/clients/node-20/package.json', OFFICIAL],
  ['packages/drop-in/clients/node-22/package.json', OFFICIAL],
  ['README.md', DROP_IN, "{cli} (what `cli: 'pinned'` installs)"],
  ['VERSIONING.md', '{sdk}**00** is the first one for {sdk}'],
  [
    'packages/drop-in/README.md',
    DROP_IN,
    'facts about {sdk} ',
    'real CLI {cli};',
    '`{sdk}xx` corresponds to the official {sdk}.',
  ],
  ['docs/guides/drop-in.md', 'claude-agent-sdk` {sdk}, with', DROP_IN, 'coxswain-drop-in-{dropIn}.tgz'],
  ['conformance/permissions/measured.json', '"releases": ["{cli}"'],
  ...['calls', 'entries', 'releases', 'servers', 'several', 'turns'].map(
    // The tests then show whether the release behaves like the previous one.
    (topic) => /** @type {const} */ ([`conformance/parked/measured/${topic}.json`, '"{cli}":']),
  ),
  ['packages/testkit/README.md', 'the protocol of Claude Code {cli} '],
];

/**
 * The release with this CLI. The last numbers of the CLI and of the SDK are equal: 2.1.325 and 0.3.325.
 * @param {string} cli
 * @returns {Release}
 */
export function releaseOf(cli) {
  const patch = /^2\.1\.(\d+)$/.exec(cli)?.[1];
  if (patch === undefined) throw new Error(`"${cli}" is not a release of the CLI such as 2.1.300.`);
  return { cli, sdk: `0.3.${patch}`, dropIn: `0.3.${patch}00` };
}

/**
 * Replaces the release in the texts of a file.
 * @param {string} content
 * @param {readonly string[]} texts
 * @param {Release} from
 * @param {Release} to
 * @returns {{ content: string, missing: readonly string[] }} `missing`: the texts that the file does not have.
 */
export function replacePins(content, texts, from, to) {
  const missing = texts.map((text) => filled(text, from)).filter((text) => !content.includes(text));
  const replaced = texts.reduce((text, pin) => text.replaceAll(filled(pin, from), filled(pin, to)), content);
  return { content: replaced, missing };
}

/**
 * Moves all pins below a folder, and returns what was not found.
 * @param {string} root
 * @param {Release} from
 * @param {Release} to
 * @returns {readonly string[]} `<file>: <text>`
 */
export function movePins(root, from, to) {
  // It can have had releases of its own since.
  const { version: dropIn } = JSON.parse(readFileSync(join(root, 'packages/drop-in/package.json'), 'utf8'));
  const current = { ...from, dropIn };
  return PINS.flatMap(([file, ...texts]) => {
    const path = join(root, file);
    const before = readFileSync(path, 'utf8');
    const { content, missing } = replacePins(before, texts, current, to);
    if (content !== before) writeFileSync(path, content);
    return missing.map((text) => `${file}: ${text}`);
  });
}

/**
 * @param {string} text
 * @param {Release} release
 */
function filled(text, { cli, sdk, dropIn }) {
  return text.replaceAll('{cli}', cli).replaceAll('{sdk}', sdk).replaceAll('{dropIn}', dropIn);
}
