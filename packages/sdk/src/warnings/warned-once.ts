/** How many different things one kind of warning is given about. */
const MOST = 100;

/**
 * Remembers what was warned about, so that each thing causes one warning. The CLI chooses the things: after many of them
 * nothing is new any more.
 */
export class WarnedOnce {
  readonly #seen = new Set<string>();

  /** True when `what` has not come before. */
  isNew(what: string): boolean {
    if (this.#seen.has(what) || this.#seen.size >= MOST) return false;
    this.#seen.add(what);
    return true;
  }

  forget(what: string): void {
    this.#seen.delete(what);
  }
}

/** A name that the CLI chose, short enough for a message. */
export function shortName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
}

const LONGEST_NAME = 200;
