/** Makes room in a collection: forgets the oldest if it has too many. */
export function bounded<C extends Map<string, unknown> | Set<string>>(collection: C, limit: number): C {
  if (collection.size >= limit)
    for (const oldest of collection.keys()) {
      collection.delete(oldest);
      break;
    }
  return collection;
}
