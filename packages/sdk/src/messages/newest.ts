/** Of how many subagents a stream remembers what they are saying. */
const MOST = 1_000;

/** Sets a key that the CLI chose; of too many, the one that was set longest ago is forgotten. */
export function setNewest<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > MOST) map.delete(oldest);
}
