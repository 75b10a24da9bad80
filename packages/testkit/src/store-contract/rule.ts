import type { SessionKey, SessionStore, StoreEntry } from 'coxswain/store';
import { must } from '../transport-contract/stage.ts';

/** A store under test. */
export interface OpenStore {
  readonly store: SessionStore;
  /** Cleans up after a rule. */
  close?(): unknown;
}

/** The context of a rule. */
export interface StoreStage {
  readonly store: SessionStore;
  /** A new key. */
  key(): SessionKey;
  /** Another writer on the same data, or the same store if the adapter cannot create one. */
  reopen(): Promise<SessionStore>;
  tear(key: SessionKey): Promise<void>;
}

/** Optional parts of the store or of its bench that a rule may need. */
export type StoreNeed = 'listSessions' | 'delete' | 'listSubkeys' | 'blobs' | 'reopen' | 'tear';

/** One rule: its check and the required optional parts. */
export interface StoreRuleCheck {
  readonly name: string;
  readonly rule: 'G-3' | 'G-6';
  readonly needs?: readonly StoreNeed[];
  check(stage: StoreStage): Promise<void>;
}

/** Entries in the CLI's format: with a uuid. */
export function entries(...words: readonly string[]): StoreEntry[] {
  return words.map((word) => ({ type: 'user', uuid: `uuid-of-${word}`, message: { role: 'user', content: word } }));
}

/** The texts of a transcript, entry by entry. */
export async function wordsIn(store: SessionStore, key: SessionKey): Promise<string[]> {
  const loaded = (await store.load(key)) ?? [];
  must(Array.isArray(loaded), `load() gave ${typeof loaded}, and must give an array or null`);
  return loaded.map((entry) => String(entry.uuid ?? entry.note ?? entry.type).replace('uuid-of-', ''));
}

/** @throws ContractViolation unless the two are the same as JSON */
export function same(found: unknown, expected: unknown, what: string): void {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  must(a === b, `${what}: ${a?.slice(0, 500)} instead of ${b?.slice(0, 500)}`);
}
