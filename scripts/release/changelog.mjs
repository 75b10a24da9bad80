/**
 * The section of a version in the changelog.
 * @param {string} changelog
 * @param {string} version
 * @returns {{ released: string | undefined, notes: string }} `released`: the date; undefined while it says "unreleased".
 */
export function sectionOf(changelog, version) {
  const section = changelog.split(/^(?=## )/m).find((text) => text.startsWith(`## ${version} (`));
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version} (<date>)".`);
  const [title = '', ...lines] = section.split('\n');
  const [, state = ''] = /\((.*)\)$/.exec(title) ?? [];
  const notes = lines.join('\n').trim();
  if (state !== 'unreleased' && !/^\d{4}-\d{2}-\d{2}$/.test(state))
    throw new Error(`CHANGELOG.md: "${title}" must end with a date such as (2026-11-19), or with (unreleased).`);
  if (notes === '') throw new Error(`CHANGELOG.md: the section of ${version} is empty.`);
  return { released: state === 'unreleased' ? undefined : state, notes };
}

/**
 * The changelog with an empty section for the version, unless it has one.
 * @param {string} changelog
 * @param {string} version
 * @returns {string}
 */
export function withSection(changelog, version) {
  if (changelog.includes(`\n## ${version} (`)) return changelog;
  return changelog.replace(/^(?=## )/m, `## ${version} (unreleased)\n\n`);
}
