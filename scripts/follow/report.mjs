/** @typedef {import('./verdict.mjs').Results} Results */

/**
 * What a run found, in Markdown: for the terminal and for the pull request.
 * @param {{ from: string, to: string }} releases
 * @param {Results & { pages: { diff: readonly string[] } }} results
 * @param {readonly import('./verdict.mjs').Decision[]} decisions
 * @param {Readonly<Record<string, number>>} seconds
 * @returns {string}
 */
export function reportOf({ from, to }, results, decisions, seconds) {
  const { declarations, surfaces, structure, matrix, parked, behaviours, clients, real, pages } = results;
  const tests = Object.entries({ parked, behaviours, clients, real }).map(
    ([name, { passed, failed }]) => `- ${name}: ${passed} tests passed, ${failed.length} failed`,
  );
  return [
    `# Claude Code ${from} → ${to}`,
    '',
    verdict(decisions),
    ...decisions.map(({ what, file }) => `- \`${file}\`: ${what}`),
    '',
    '## What changed',
    '',
    ...declarations.files.flatMap(({ file, added, removed, changed }) => [
      ...added.map((name) => `- ${file}: + ${name}`),
      ...removed.map((name) => `- ${file}: - ${name}`),
      ...changed.map(({ name, lines }) => `- ${file}: ${name}: ${shortened(lines)}`),
    ]),
    ...surfaces.changes.flatMap(({ kind, added, removed, changed }) => [
      ...added.map((name) => `- ${kind}: + ${name}`),
      ...removed.map((name) => `- ${kind}: - ${name}`),
      ...changed.map((text) => `- ${kind}: ${text}`),
    ]),
    ...matrix.changed.map((text) => `- features: ${text}`),
    '',
    '## What was run',
    '',
    `- structure: ${structure.compared} declarations compared, ${structure.different.length} differ without a reason`,
    ...tests,
    ...Object.entries(seconds).map(([step, time]) => `- ${step}: ${time} s`),
    '',
    '## Files',
    '',
    ...pages.diff.map((line) => `    ${line.trim()}`),
    '',
  ].join('\n');
}

/** @param {readonly unknown[]} decisions */
function verdict({ length }) {
  if (length === 0) return '**Ready: nothing to decide.**';
  return `**${length} ${length === 1 ? 'thing' : 'things'} to decide:**\n`;
}

/** @param {readonly string[]} lines */
function shortened(lines) {
  const text = lines.slice(0, 6).join(' ');
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
