export const LF = 0x0a;
/** Size at which an unfinished line is reported. */
const LONG_LINE_BYTES = 1024 * 1024;
/** Fragments up to this size are copied into one block: a million one-byte fragments take a hundred times the memory of the line. */
const SMALL_BYTES = 1024;
const BLOCK_BYTES = 64 * 1024;
/** Length of the kept start of an oversize line, enough to find a request id in it. */
const HEAD_BYTES = 4096;

/** A dropped line that exceeded the limit. */
export interface OversizeLine {
  /** The number of received bytes, without the LF. */
  readonly bytes: number;
  /** Its first bytes. */
  readonly head: Uint8Array;
}

/** Receives the output of the framer. */
export interface LineSink {
  /** A line without its LF; only valid until the call returns. */
  line(bytes: Uint8Array): void;
  /** Called once per line longer than the limit, when its LF arrives. */
  oversize(line: OversizeLine): void;
  /** Called once per line that exceeds 1 MiB before its LF arrives. */
  long?(bytes: number): void;
}

/** Splits a byte stream at LF. Joins a line that spans chunks once, and holds at most `maxLineBytes` of it. */
export class LineFramer {
  readonly #maxLineBytes: number;
  readonly #sink: LineSink;
  #fragments: Uint8Array[] = [];
  /** Buffer for small fragments; the last fragment is its used part. */
  #block: Uint8Array | undefined;
  #pending = 0;

  constructor(maxLineBytes: number, sink: LineSink) {
    this.#maxLineBytes = maxLineBytes;
    this.#sink = sink;
  }

  /** True while the unfinished line is already longer than the limit. */
  get overflowing(): boolean {
    return this.#pending > this.#maxLineBytes;
  }

  push(chunk: Uint8Array): void {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      this.#endLine(chunk.subarray(from, end));
      from = end + 1;
    }
    const before = this.#pending;
    if (from < chunk.length) this.#hold(chunk.subarray(from));
    if (before <= LONG_LINE_BYTES && this.#pending > LONG_LINE_BYTES && !this.overflowing)
      this.#sink.long?.(this.#pending);
  }

  /** Ends the stream. Returns the unfinished last line, if there is one. */
  end(): Uint8Array | undefined {
    const complete = this.#pending > 0 && !this.overflowing;
    const rest = this.#release();
    return complete ? rest : undefined;
  }

  #endLine(fragment: Uint8Array): void {
    // Most lines arrive whole in one chunk.
    if (this.#pending === 0 && fragment.length <= this.#maxLineBytes) return this.#sink.line(fragment);
    this.#hold(fragment);
    const { overflowing } = this;
    const bytes = this.#pending;
    const line = this.#release();
    if (overflowing) this.#sink.oversize({ bytes, head: line });
    else this.#sink.line(line);
  }

  /** Keeps only the start of a line that exceeds the limit. */
  #hold(fragment: Uint8Array): void {
    if (!this.overflowing) this.#append(fragment);
    this.#pending += fragment.length;
    if (!this.overflowing) return;
    this.#fragments = [join(this.#fragments, HEAD_BYTES)];
    this.#block = undefined;
  }

  #append(fragment: Uint8Array): void {
    const used = this.#block === undefined ? 0 : (this.#fragments.at(-1)?.length ?? 0);
    if (fragment.length > SMALL_BYTES) {
      this.#block = undefined;
      this.#fragments.push(fragment);
    } else if (this.#block !== undefined && used + fragment.length <= BLOCK_BYTES) {
      this.#block.set(fragment, used);
      this.#fragments[this.#fragments.length - 1] = this.#block.subarray(0, used + fragment.length);
    } else if (this.#fragments.length === 0) {
      // Most split lines consist of two fragments.
      this.#fragments.push(fragment);
    } else {
      this.#block = new Uint8Array(BLOCK_BYTES);
      this.#block.set(fragment);
      this.#fragments.push(this.#block.subarray(0, fragment.length));
    }
  }

  #release(): Uint8Array {
    const line = join(this.#fragments, this.#pending);
    this.#fragments = [];
    this.#block = undefined;
    this.#pending = 0;
    return line;
  }
}

/** Joins fragments, truncated to `length` bytes. */
function join(fragments: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = fragments;
  if (first !== undefined && fragments.length === 1) return first.subarray(0, length);
  const whole = new Uint8Array(length);
  let at = 0;
  for (const fragment of fragments) {
    const part = fragment.subarray(0, length - at);
    whole.set(part, at);
    at += part.length;
  }
  return whole.subarray(0, at);
}
