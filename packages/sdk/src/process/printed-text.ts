import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError } from '../errors/stream.ts';

const MAX_LINES = 5;
const MAX_CHARS = 600;

/** The last lines of stdout that are not JSON. A CLI that cannot start prints its reason there. */
export class PrintedText {
  readonly #lines: string[] = [];

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Records the line of a redacted error. */
  note(error: CoxswainError): void {
    if (!(error instanceof JsonDecodeError)) return;
    this.#lines.push(error.line.trim().slice(0, MAX_CHARS));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}
