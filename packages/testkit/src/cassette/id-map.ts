/** Maps recorded ids to live ids, unique in both directions: two different ids stay different. */
export class IdMap {
  readonly #live = new Map<string, string>();
  readonly #recorded = new Map<string, string>();
  readonly #liveRequests = new Map<string, string>();
  readonly #recordedRequests = new Map<string, string>();

  /** Maps a recorded uuid to a live one; false if that contradicts an earlier pair. */
  bind(recorded: string, live: string): boolean {
    return bindIn(this.#live, this.#recorded, recorded, live);
  }

  /** Maps the id of a control request, which may be other than a uuid. */
  bindRequest(recorded: string, live: string): boolean {
    return bindIn(this.#liveRequests, this.#recordedRequests, recorded, live);
  }

  /** The recorded id of an answered request. */
  recordedRequest(live: string): string {
    return this.#recordedRequests.get(live) ?? this.#recorded.get(live) ?? live;
  }

  /** Replaces the ids in a recorded line by those of the live run. */
  toLive(line: string): string {
    const text = line.replace(UUIDS, (uuid) => this.#live.get(uuid) ?? uuid);
    if (!text.includes('"request_id"')) return text;
    return text.replace(/("request_id"\s*:\s*")([^"\\]*)(?=")/g, (whole, key: string, id: string) => {
      const live = this.#liveRequests.get(id);
      return live === undefined ? whole : key + live;
    });
  }
}

/** A uuid anywhere in a text. */
export const UUIDS: RegExp = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi;

function bindIn(there: Map<string, string>, back: Map<string, string>, recorded: string, live: string): boolean {
  const known = there.get(recorded);
  if (known !== undefined) return known === live;
  if (back.has(live)) return false;
  there.set(recorded, live);
  back.set(live, recorded);
  return true;
}
