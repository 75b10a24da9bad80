/** True if JSON is nested more deeply than this. JSON can be parsed at depths at which it cannot be written, copied or hashed. */
export function isDeeperThan(json: unknown, levels: number): boolean {
  let level: readonly unknown[] = [json];
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
    if (level.length === 0) return false;
  }
  return true;
}
