/**
 * Something that a person must decide, and the file to open for it.
 * @typedef {{ what: string, file: string }} Decision
 * @typedef {import('./tests.mjs').TestResult} TestResult
 * @typedef {import('./compare-surfaces.mjs').Change} Change
 * @typedef {object} Results
 * @property {{ files: readonly { file: string, added: readonly string[], removed: readonly string[], changed: readonly { name: string, lines: readonly string[] }[] }[] }} declarations
 * @property {{ changes: readonly Change[] }} surfaces
 * @property {{ missing: readonly string[] }} move
 * @property {{ compared: number, declared: number, missing: readonly string[], different: readonly { name: string, path: string, official: string, dropIn: string }[] }} structure
 * @property {{ surprises: readonly string[], changed: readonly string[] }} matrix
 * @property {TestResult} parked
 * @property {TestResult} behaviours
 * @property {TestResult} clients
 * @property {TestResult} real
 */

/** Where each kind of change of the CLI is handled. */
const HANDLED_IN = /** @type {Readonly<Record<string, string>>} */ ({
  flags: 'packages/sdk/src/options/flag-table.ts',
  capabilities: 'conformance/matrix/known.json',
  'hook events': 'packages/sdk/src/callbacks/hook-inputs.ts',
  tools: 'packages/drop-in/src/constants.ts',
  'control requests': 'packages/sdk/src/session/operations.ts',
  'fields of the handshake': 'packages/testkit/src/scripted/interpreter/initialize.ts',
  'schemas of tools': 'packages/drop-in/src/tool-types/inputs.ts',
  messages: 'packages/sdk/src/wire/system.ts',
});

const DECLARATIONS = 'packages/drop-in/src/declarations';

/**
 * The decisions that a person must make before the new release can be used.
 * @param {Results} results
 * @returns {readonly Decision[]}
 */
export function decisionsFor(results) {
  const { surfaces, move, structure, matrix } = results;
  return [
    ...move.missing.map((text) => decision('this text no longer names a release', fileOf(text), text)),
    ...surfaces.changes.flatMap(({ kind, added, removed, changed }) => [
      ...added.map((name) => decision(`new in ${kind}`, HANDLED_IN[kind], name)),
      ...removed.map((name) => decision(`removed from ${kind}`, HANDLED_IN[kind], name)),
      ...changed.map((text) => decision(`changed in ${kind}`, HANDLED_IN[kind], text)),
    ]),
    ...structure.missing.map((name) => decision('the drop-in lacks', 'packages/drop-in/src/sdk.ts', name)),
    ...structure.different.map(({ name, path, official, dropIn }) =>
      decision('declared differently', DECLARATIONS, `${name}${path && ` at ${path}`}: ${official} ≠ ${dropIn}`),
    ),
    ...numberOfDeclarations(structure),
    ...matrix.surprises.map((text) => decision('not as recorded', 'packages/sdk/src/cli/feature-gate.ts', text)),
    ...[results.parked, results.behaviours, results.clients, results.real].flatMap(({ failed }) =>
      failed.map(({ file, title, why }) => decision('a test failed', file, `${title}: ${why}`)),
    ),
  ];
}

/**
 * @param {Results['structure']} structure
 * @returns {readonly Decision[]}
 */
function numberOfDeclarations({ compared, declared }) {
  if (compared === declared) return [];
  const file = 'packages/drop-in/test/both/declared/declared-differences.ts';
  return [decision('the number of declarations has changed', file, `${declared} → ${compared}`)];
}

/**
 * @param {string} what
 * @param {string | undefined} file
 * @param {string} text
 * @returns {Decision}
 */
function decision(what, file, text) {
  return { what: `${what}: ${text}`, file: file ?? 'conformance/matrix/known.json' };
}

/** @param {string} text */
function fileOf(text) {
  return text.slice(0, text.indexOf(':'));
}
