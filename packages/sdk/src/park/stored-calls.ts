import type { StoreEntry } from '../store/session-store.ts';
import { callsAndResults } from './open-calls.ts';

/** Far above the open calls of any conversation; beyond it the oldest are dropped. */
const MOST_CALLS = 10_000;

/** The tool calls that are stored, or about to be, and have no result. */
export class StoredCalls {
  /** The names of the tools, by the ids of the calls. */
  readonly #tools = new Map<string, string>();

  /** Adds entries of the main transcript; returns the ids of the calls that they answer. */
  note(entries: readonly StoreEntry[]): readonly string[] {
    const answered: string[] = [];
    for (const { id, call } of callsAndResults(entries)) {
      if (call) this.#tools.set(id, call.tool);
      else if (this.#tools.delete(id)) answered.push(id);
      const [oldest] = this.#tools.keys();
      if (this.#tools.size > MOST_CALLS && oldest !== undefined) this.#tools.delete(oldest);
    }
    return answered;
  }

  has(id: string): boolean {
    return this.#tools.has(id);
  }

  get tools(): readonly string[] {
    return [...this.#tools.values()];
  }
}
