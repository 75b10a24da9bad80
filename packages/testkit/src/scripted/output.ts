import type { OutputManner } from './fault-data.ts';

/** Writes whole lines by default, or as configured: in pieces, late, with odd line endings. */
export class Output {
  readonly #write: (data: string | Uint8Array) => Promise<void> | undefined;
  readonly #sleep: (ms: number) => Promise<void>;
  #manner: OutputManner = {};
  #merged = '';

  constructor(write: (data: string | Uint8Array) => Promise<void> | undefined, sleep: (ms: number) => Promise<void>) {
    this.#write = write;
    this.#sleep = sleep;
  }

  /** Changes the settings from now on; missing ones keep their value. */
  behave(manner: OutputManner): void {
    this.#manner = { ...this.#manner, ...manner };
  }

  /** Writes; returns a promise if the next write must wait. */
  write(data: string | Uint8Array): Promise<void> | undefined {
    const { pieceBytes, mergeMs, delayMs } = this.#manner;
    const dressed = typeof data === 'string' ? this.#dress(data) : data;
    if (pieceBytes === undefined && mergeMs === undefined && delayMs === undefined) return this.#write(dressed);
    return this.#slowly(dressed);
  }

  /** Writes delayed output. */
  flush(): Promise<void> | undefined {
    const text = this.#merged;
    this.#merged = '';
    return text === '' ? undefined : this.#write(text);
  }

  #dress(text: string): string {
    const { lineEnd = '\n', blankLines = 0, head = '' } = this.#manner;
    if (head !== '') this.#manner = { ...this.#manner, head: '' };
    if (lineEnd === '\n' && blankLines === 0) return head + text;
    const lines = text.split('\n');
    const open = lines.pop() ?? '';
    return head + lines.map((line) => lineEnd.repeat(blankLines) + line + lineEnd).join('') + open;
  }

  async #slowly(data: string | Uint8Array): Promise<void> {
    const { pieceBytes, mergeMs, delayMs = 0 } = this.#manner;
    if (delayMs > 0) await this.#sleep(delayMs);
    if (mergeMs !== undefined && typeof data === 'string') {
      if (this.#merged === '') void this.#sleep(mergeMs).then(() => this.flush());
      this.#merged += data;
      return;
    }
    const bytes = Buffer.from(data);
    const step = Math.max(1, pieceBytes ?? bytes.length);
    for (let at = 0; at < bytes.length; at += step) {
      await this.#write(bytes.subarray(at, at + step));
      // The next piece must arrive as a separate read.
      await new Promise(setImmediate);
    }
  }
}
