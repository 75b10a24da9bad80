import type { Redactor } from '../redact.ts';

/** How much of a line that does not end is held; a secret near the cut must fit into what is held beyond it. */
const MAX_LINE = 64 * 1024;
const BEYOND = 4 * 1024;

export interface StderrTailOptions {
  readonly limitBytes: number;
  readonly redact: Redactor;
  /** Called with each line, redacted and without its line end. What it throws is ignored. */
  readonly onLine?: ((line: string) => unknown) | undefined;
}

/** The end of what the CLI wrote to stderr, bounded and redacted. */
export class StderrTail {
  readonly #options: StderrTailOptions;
  /** There with the first word: most CLIs never say one, and a decoder takes a millisecond to make. */
  #decoder: InstanceType<typeof TextDecoder> | undefined;
  /** Pieces that begin and end where no secret is cut; raw, because a secret may span several lines. */
  readonly #pieces: string[] = [];
  #heldChars = 0;
  #open = '';

  constructor(options: StderrTailOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    this.#decoder ??= new TextDecoder();
    this.#add(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The stream has ended: an unfinished last line counts as one. */
  end(): void {
    if (this.#decoder) this.#add(this.#decoder.decode());
    if (this.#open === '') return;
    const last = this.#open;
    this.#open = '';
    this.#close(last, '');
  }

  /** The end of it as the CLI wrote it, to decide by, never to show: a secret may be a word of what it says. */
  raw(): string {
    return this.#pieces.join('') + this.#open;
  }

  /** The last `limitBytes` of it. */
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
  }

  /** Closes pieces of a line that is too long, and returns its rest. */
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
    // A character is at least one byte, so this holds more than the limit, and redaction has something to shrink.
    while (this.#heldChars - (this.#pieces[0]?.length ?? 0) > limitBytes + BEYOND) {
      this.#heldChars -= this.#pieces.shift()?.length ?? 0;
    }
    if (onLine) quietly(() => onLine(redact(line.endsWith('\r') ? line.slice(0, -1) : line)));
  }
}

/** Reads `source` to its end into `tail`. A stderr that cannot be read any more ends it too. Never rejects. */
export async function drainStderr(source: AsyncIterable<Uint8Array>, tail: StderrTail): Promise<void> {
  try {
    for await (const chunk of source) tail.push(chunk);
  } catch {
    // What was read until now is what there is to show; the run does not depend on it.
  }
  tail.end();
}

/** A place near the limit at which redacting both sides gives the same as redacting the whole. */
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
  // Not in the middle of a character: continuation bytes are 10xxxxxx.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  return bytes.toString('utf8', start);
}

/** A caller's callback changes nothing for us, neither by throwing nor by rejecting later. */
function quietly(run: () => unknown): void {
  try {
    Promise.resolve(run()).catch(() => {});
  } catch {
    // See above.
  }
}
