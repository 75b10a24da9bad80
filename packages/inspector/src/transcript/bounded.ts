/** A collection that gets one more: the oldest of too many is forgotten first. */
export function bounded<C extends Map<string, unknown> | Set<string>>(collection: C, limit: number): C {
  if (collection.size >= limit)
    for (const oldest of collection.keys()) {
      collection.delete(oldest);
      break;
    }
  return collection;
}
