/** What must not be shown of one conversation: the secrets that the inspector knows, and those of its own runs. */
export class Secrets {
  readonly #redactors: Set<(text: string) => string>;

  constructor(redact: (text: string) => string) {
    this.#redactors = new Set([redact]);
  }

  /** Also removes what `redact` removes, from all texts from now on. */
  add(redact: (text: string) => string): void {
    this.#redactors.add(redact);
  }

  readonly redact = (text: string): string => {
    let clean = text;
    for (const redact of this.#redactors) clean = redact(clean);
    return clean;
  };
}
