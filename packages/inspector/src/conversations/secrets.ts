/** Removes secrets from the texts of one conversation: those of the inspector and those of its own runs. */
export class Secrets {
  readonly #redactors: Set<(text: string) => string>;

  constructor(redact: (text: string) => string) {
    this.#redactors = new Set([redact]);
  }

  /** Adds a redactor for all texts from now on. */
  add(redact: (text: string) => string): void {
    this.#redactors.add(redact);
  }

  readonly redact = (text: string): string => {
    let clean = text;
    for (const redact of this.#redactors) clean = redact(clean);
    return clean;
  };
}
