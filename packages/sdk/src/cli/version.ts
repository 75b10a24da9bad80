/** The first version number in a text, without prefix and prerelease suffix: `v2.1.3-beta.1 (Claude Code)` → `2.1.3`. */
export function parseVersion(text: string): string | undefined {
  // Bounded digits keep the search linear on output that is one long number.
  return /(?<!\d)\d{1,9}\.\d{1,9}\.\d{1,9}/.exec(text)?.[0];
}

/** Negative when `a` is older than `b`, positive when newer, 0 when equal; parts are compared as numbers, suffixes ignored. */
export function compareVersions(a: string, b: string): number {
  const left = partsOf(a);
  const right = partsOf(b);
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

function partsOf(version: string): [number, number, number] {
  const [major = 0, minor = 0, patch = 0] = (parseVersion(version) ?? '0.0.0').split('.').map(Number);
  return [major, minor, patch];
}
