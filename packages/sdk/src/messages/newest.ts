/** Maximum number of subagents whose streamed text is kept. */
const MOST = 1_000;

/** Sets a key that the CLI chose; above the limit, removes the entry that was set longest ago. */
export function setNewest<V>(map: Map<string, V>, key: string, value: V): void {
  map.delete(key);
  map.set(key, value);
  const [oldest = ''] = map.keys();
  if (map.size > MOST) map.delete(oldest);
}
