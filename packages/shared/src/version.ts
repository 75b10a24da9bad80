/** The first version number in a text, without prefix and prerelease suffix: `v2.1.3-beta.1 (Claude Code)` → `2.1.3`. */
export function parseVersion(text: string): string | undefined {
  // Bounded digits keep the search linear on output that is one long number.
  return /(?<!\d)\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(text)?.[0];
}

/** Negative when `a` is older than `b`, positive when newer, 0 when equal; parts are compared as numbers, suffixes ignored. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => (parseVersion(version) ?? '0.0.0').split('.').map(Number));
  return (left ?? []).reduce((order, part, index) => order || part - (right?.[index] ?? 0), 0);
}
