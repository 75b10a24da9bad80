import { type ReadonlySignal, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext, useLayoutEffect, useRef } from 'preact/hooks';

/** A part of a request that its card does not show. */
interface HiddenPart {
  /** What is hidden: `64 changed lines`. */
  readonly words: string;
  readonly show: () => Promise<void> | void;
}

/** The parts of a request that its card does not show yet. A person must be able to see them before allowing the request. */
export class HiddenParts {
  readonly #parts = signal<readonly HiddenPart[]>([]);

  get parts(): ReadonlySignal<readonly HiddenPart[]> {
    return this.#parts;
  }

  add(part: HiddenPart): () => void {
    this.#parts.value = [...this.#parts.peek(), part];
    return () => {
      this.#parts.value = this.#parts.peek().filter((other) => other !== part);
    };
  }

  async showAll(): Promise<void> {
    await Promise.all(this.#parts.peek().map(({ show }) => show()));
  }
}

/** The hidden parts of the enclosing card; `null` outside cards. */
export const HiddenInCard = createContext<HiddenParts | null>(null);

/** Reports a hidden part, or `null` if nothing is hidden. `show` unfolds it. */
export function useHiddenPart(words: string | null, show: () => Promise<void> | void): void {
  const hidden = useContext(HiddenInCard);
  const latest = useRef(show);
  latest.current = show;
  useLayoutEffect(() => {
    return hidden === null || words === null ? undefined : hidden.add({ words, show: () => latest.current() });
  }, [hidden, words]);
}
