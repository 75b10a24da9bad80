/** Maximum number of different subjects per kind of warning. */
const MOST = 100;

/**
 * Remembers the subjects of earlier warnings, so that each subject causes one warning. The CLI chooses the subjects, so their
 * number is limited: once the limit is reached, no subject counts as new.
 */
export class WarnedOnce {
  readonly #seen = new Set<string>();

  /** True if `what` was not passed before. */
  isNew(what: string): boolean {
    if (this.#seen.has(what) || this.#seen.size >= MOST) return false;
    this.#seen.add(what);
    return true;
  }

  forget(what: string): void {
    this.#seen.delete(what);
  }
}

/** Shortens a name chosen by the CLI for use in a message. */
export function shortName(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME)}…`;
}

const LONGEST_NAME = 200;
