/** Makes room for one more item: drops the oldest if the collection is full. */
export function bounded<C extends Map<string, unknown> | Set<string>>(collection: C, limit: number): C {
  if (collection.size >= limit)
    for (const oldest of collection.keys()) {
      collection.delete(oldest);
      break;
    }
  return collection;
}
