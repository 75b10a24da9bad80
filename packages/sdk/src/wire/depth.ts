/** True if JSON is nested more deeply than this. JSON can be parsed at depths at which it cannot be written, copied or hashed. */
export function isDeeperThan(json: unknown, levels: number): boolean {
  if (typeof json !== 'object' || json === null) return false;
  // Objects from JSON have no inherited fields, and `for in` builds no list of them.
  for (const key in json) {
    if (levels === 0 || isDeeperThan(Reflect.get(json, key), levels - 1)) return true;
  }
  return false;
}
