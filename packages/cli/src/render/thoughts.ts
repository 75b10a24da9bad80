import { duration } from './format.ts';
import type { Look } from './look.ts';
import { firstLine, fit, harmless } from './measure.ts';

/** The model's thinking, folded into one line each time, or in full. */
export class ThoughtRecord {
  readonly #look: Look;
  #since: number | undefined;
  #text = '';

  constructor(look: Look) {
    this.#look = look;
  }

  get open(): boolean {
    return this.#since !== undefined;
  }

  begin(at: number): void {
    this.#since = at;
    this.#text = '';
  }

  add(text: string, at: number): void {
    this.#since ??= at;
    this.#text += text;
  }

  /** The lines for a completed thought. */
  close(at: number): string[] {
    if (this.#since === undefined) return [];
    const ms = at - this.#since;
    this.#since = undefined;
    return this.#lines(ms < 100 ? 'thought' : `thought for ${duration(ms)}`, this.#text);
  }

  /** The lines for a thought that arrived in one piece. */
  whole(text: string): string[] {
    return this.#lines('thought', text);
  }

  #lines(title: string, thought: string): string[] {
    const { paint, columns, thinking } = this.#look;
    const text = harmless(thought).trim();
    if (text === '') return [paint.dim(`∴ ${title}`)];
    if (!thinking) return [paint.dim(fit(`∴ ${title}: ${firstLine(text)}`, columns()))];
    return [`∴ ${title}`, ...text.split('\n').map((line) => `  ${line}`)].map((line) => paint.dim(line));
  }
}
