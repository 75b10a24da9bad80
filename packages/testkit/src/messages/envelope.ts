/** Fields of a message that replace the defaults. */
export type Fields<T> = Partial<Omit<T, 'type' | 'subtype' | 'message'>>;

/** The default session of every generated message. */
const SESSION_ID = '00000000-0000-4000-8000-000000000001';

/** The timestamp of every generated message. */
export const TIMESTAMP = '2026-01-01T00:00:00.000Z';

/** The model of every generated message. */
export const MODEL = 'claude-opus-5-5';

/**
 * `session_id` and `uuid`. Ids are derived from the content, without a counter: a snapshot of the same message stays the
 * same, and two different messages get different ids. Two equal messages in one list need different `uuid`s.
 */
export function envelope(content: unknown): { readonly session_id: string; readonly uuid: string } {
  return { session_id: SESSION_ID, uuid: uuidFrom(content) };
}

/** A UUID derived from the content. */
export function uuidFrom(content: unknown): string {
  return `00000000-0000-4000-8000-${digest(content)}`;
}

/** An id in the API's format derived from the content: `toolu_01…`. */
export function idFrom(prefix: 'msg' | 'toolu' | 'req', content: unknown): string {
  return `${prefix}_01Test${digest(content)}`;
}

// FNV-1a twice, forwards and backwards: 48 bits are sufficient for the messages of a test.
function digest(content: unknown): string {
  const text = JSON.stringify(content) ?? '';
  const forwards = fnv1a([...text]);
  const backwards = fnv1a([...text].reverse());
  return forwards.toString(16).padStart(8, '0') + (backwards & 0xffff).toString(16).padStart(4, '0');
}

function fnv1a(characters: readonly string[]): number {
  let hash = 0x811c9dc5;
  for (const character of characters) {
    hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  }
  return hash >>> 0;
}
