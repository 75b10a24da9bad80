/**
 * A map that never changes: `with` and `without` return the next version. Both cost the same however large the map is: only
 * one version has the entries, and each other one keeps how it differs from its neighbour. Reading a version moves the
 * entries to it, which is free for the newest.
 */
export class VersionedMap<V> {
  #state: Map<string, V> | Difference<V>;

  /** The map takes `entries` over. */
  constructor(entries: Map<string, V> = new Map()) {
    this.#state = entries;
  }

  get size(): number {
    return this.#entries().size;
  }

  has(key: string): boolean {
    return this.#entries().has(key);
  }

  get(key: string): V | undefined {
    return this.#entries().get(key);
  }

  /** The oldest key. */
  get first(): string | undefined {
    return this.#entries().keys().next().value;
  }

  keys(): string[] {
    return [...this.#entries().keys()];
  }

  with(key: string, value: V): VersionedMap<V> {
    return this.#next(key, { value });
  }

  /** The same map when it has no such key. */
  without(key: string): VersionedMap<V> {
    return this.has(key) ? this.#next(key, undefined) : this;
  }

  #next(key: string, entry: Entry<V>): VersionedMap<V> {
    const entries = this.#entries();
    const next = new VersionedMap(entries);
    this.#state = { other: next, key, entry: put(entries, key, entry) };
    return next;
  }

  #entries(): Map<string, V> {
    if (this.#state instanceof Map) return this.#state;
    const older: VersionedMap<V>[] = [];
    let owner: VersionedMap<V> = this;
    for (; !(owner.#state instanceof Map); owner = owner.#state.other) older.push(owner);
    const entries = owner.#state;
    for (const version of older.reverse()) {
      const { key, entry } = version.#state as Difference<V>; // It is not the owner yet.
      owner.#state = { other: version, key, entry: put(entries, key, entry) };
      version.#state = entries;
      owner = version;
    }
    return entries;
  }
}

/** The value of a key; `undefined` when it is not in the map. */
type Entry<V> = { readonly value: V } | undefined;

/** A version has the same entries as `other`, except for this key. */
interface Difference<V> {
  readonly other: VersionedMap<V>;
  readonly key: string;
  readonly entry: Entry<V>;
}

/** Sets or deletes a key; returns what it had. */
function put<V>(entries: Map<string, V>, key: string, entry: Entry<V>): Entry<V> {
  const value = entries.get(key);
  // A value may be `undefined`.
  const before = entries.has(key) ? { value: value as V } : undefined;
  if (entry) entries.set(key, entry.value);
  else entries.delete(key);
  return before;
}
