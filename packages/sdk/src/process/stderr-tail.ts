import type { Redactor } from '../redact.ts';
import { safely } from '../report/safely.ts';

/** Maximum length of an unfinished line. A secret that spans the cut must fit into the part held beyond it. */
const MAX_LINE = 64 * 1024;
const BEYOND = 4 * 1024;

export interface StderrTailOptions {
  readonly limitBytes: number;
  readonly redact: Redactor;
  /** Called with each line, redacted and without its line end. Its exceptions are ignored. */
  readonly onLine?: ((line: string) => unknown) | undefined;
  /** Called with the text of each chunk, not redacted. Must not throw. */
  readonly onText?: ((text: string) => void) | undefined;
}

/** The end of the CLI's stderr, bounded and redacted. */
export class StderrTail {
  readonly #options: StderrTailOptions;
  readonly #decoder = new TextDecoder();
  /** Pieces that do not cut a secret; not redacted, because a secret may span several lines. */
  readonly #pieces: string[] = [];
  #heldChars = 0;
  #open = '';

  constructor(options: StderrTailOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    this.#add(this.#decoder.decode(chunk, { stream: true }));
  }

  /** Ends the stream. An unfinished last line counts as a line. */
  end(): void {
    this.#add(this.#decoder.decode());
    if (this.#open === '') return;
    const last = this.#open;
    this.#open = '';
    this.#close(last, '');
  }

  /** The unredacted tail. Use it only for decisions and never show it: it may contain secrets. */
  raw(): string {
    return this.#pieces.join('') + this.#open;
  }

  /** The redacted tail, at most `limitBytes` long. */
  text(): string {
    return lastBytes(this.#options.redact(this.raw()), this.#options.limitBytes);
  }

  #add(text: string): void {
    let from = 0;
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      const line = this.#open + text.slice(from, at);
      this.#open = '';
      from = at + 1;
      this.#close(this.#cut(line), '\n');
    }
    this.#open = this.#cut(this.#open + text.slice(from));
    if (text !== '') this.#options.onText?.(text);
  }

  /** Closes pieces of a line that is too long, and returns the rest. */
  #cut(line: string): string {
    let rest = line;
    while (rest.length > MAX_LINE + BEYOND) {
      const at = safeCut(rest, this.#options.redact);
      this.#close(rest.slice(0, at), '');
      rest = rest.slice(at);
    }
    return rest;
  }

  #close(line: string, lineEnd: string): void {
    const { limitBytes, redact, onLine } = this.#options;
    this.#pieces.push(line + lineEnd);
    this.#heldChars += line.length + lineEnd.length;
    // A character has at least one byte, so this keeps at least the limit even if redaction shortens it.
    while (this.#heldChars - (this.#pieces[0]?.length ?? 0) > limitBytes + BEYOND) {
      this.#heldChars -= this.#pieces.shift()?.length ?? 0;
    }
    if (onLine) safely(() => onLine(redact(line.endsWith('\r') ? line.slice(0, -1) : line)));
  }
}

/** Reads `source` into `tail` until it ends or fails. Never rejects. */
export async function drainStderr(source: AsyncIterable<Uint8Array>, tail: StderrTail): Promise<void> {
  try {
    for await (const chunk of source) tail.push(chunk);
  } catch {
    // The run does not depend on stderr.
  }
  tail.end();
}

/** A position near the limit at which redacting both parts yields the same text as redacting the whole. */
function safeCut(line: string, redact: Redactor): number {
  const head = line.slice(0, MAX_LINE + BEYOND);
  const whole = redact(head);
  for (let at = MAX_LINE; at < head.length; at += 64) {
    if (redact(head.slice(0, at)) + redact(head.slice(at)) === whole) return at;
  }
  return head.length;
}

function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  // Do not cut a character: continuation bytes are 10xxxxxx.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}
