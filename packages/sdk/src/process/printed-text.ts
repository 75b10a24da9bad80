import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError } from '../errors/stream.ts';

const MAX_LINES = 5;
const MAX_CHARS = 600;

/** The last lines of stdout that are not JSON: what a CLI that cannot start tells a person. */
export class PrintedText {
  readonly #lines: string[] = [];

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Takes the line of an error that was redacted. */
  note(error: CoxswainError): void {
    if (!(error instanceof JsonDecodeError)) return;
    this.#lines.push(error.line.trim().slice(0, MAX_CHARS));
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }
}
