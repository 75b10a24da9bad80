/** What ends a line. */
export const LF = 0x0a;
/** An unfinished line beyond this is reported. */
const LONG_LINE_BYTES = 1024 * 1024;
/** Enough of an oversize line to recognise a request id in it. */
const HEAD_BYTES = 4096;

/** A line that grew past the limit and was dropped. */
export interface OversizeLine {
  /** Its length without the LF, as far as it was seen. */
  readonly bytes: number;
  /** Its first bytes. */
  readonly head: Uint8Array;
}

/** Where the framer's output goes. */
export interface LineSink {
  /** Whole lines, each with its LF, or a single one that was put together. Only valid until the call returns. */
  lines(block: Uint8Array, single: boolean): void;
  /** Called once per line longer than the limit, when its LF has come. */
  oversize(line: OversizeLine): void;
  /** Called once per line that grows past 1 MiB while its LF has not come. */
  long?(bytes: number): void;
}

/**
 * Cuts a byte stream at LF. Whole lines are passed on in blocks without copying; only a line that spans chunks is
 * joined, once. Never holds more than `maxLineBytes` of an unfinished line.
 */
export class LineFramer {
  private readonly maxLineBytes: number;
  private readonly sink: LineSink;
  private readonly fragments: Uint8Array[] = [];
  private pending = 0;
  private dropping = false;

  constructor(maxLineBytes: number, sink: LineSink) {
    this.maxLineBytes = maxLineBytes;
    this.sink = sink;
  }

  /** True while the unfinished line is already longer than the limit. */
  get overflowing(): boolean {
    return this.dropping;
  }

  push(chunk: Uint8Array): void {
    // The CLI writes line by line: mostly a chunk is whole lines, and need not be searched or cut.
    if (this.pending === 0 && chunk[chunk.length - 1] === LF) {
      this.emit(chunk);
      return;
    }
    const last = chunk.lastIndexOf(LF);
    if (last === -1) {
      this.holdUnfinished(chunk);
      return;
    }
    let from = 0;
    if (this.pending > 0) {
      from = chunk.indexOf(LF) + 1;
      this.finish(chunk.subarray(0, from));
    }
    if (from <= last) this.emit(chunk.subarray(from, last + 1));
    if (last + 1 < chunk.length) this.holdUnfinished(chunk.subarray(last + 1));
  }

  /** The unfinished last line, if there is one. */
  end(): Uint8Array | undefined {
    const rest = this.pending > 0 && !this.dropping ? join(this.fragments, this.pending) : undefined;
    this.reset();
    return rest;
  }

  private holdUnfinished(fragment: Uint8Array): void {
    const before = this.pending;
    this.hold(fragment);
    if (before <= LONG_LINE_BYTES && this.pending > LONG_LINE_BYTES && !this.dropping) this.sink.long?.(this.pending);
  }

  private hold(fragment: Uint8Array): void {
    this.pending += fragment.length;
    if (this.dropping) return;
    this.fragments.push(fragment);
    if (this.pending <= this.maxLineBytes) return;
    this.dropping = true;
    this.fragments.splice(0, Number.POSITIVE_INFINITY, headOf(this.fragments));
  }

  /** Completes the held line with `tail`, which ends in LF. */
  private finish(tail: Uint8Array): void {
    const bytes = this.pending + tail.length - 1;
    if (bytes > this.maxLineBytes) {
      const head = headOf([...this.fragments, tail]);
      this.reset();
      this.sink.oversize({ bytes, head });
      return;
    }
    const line = join([...this.fragments, tail], bytes + 1);
    this.reset();
    this.sink.lines(line, true);
  }

  private emit(block: Uint8Array): void {
    if (block.length - 1 <= this.maxLineBytes) {
      this.sink.lines(block, false);
      return;
    }
    for (let from = 0; from < block.length; ) {
      const to = block.indexOf(LF, from) + 1;
      this.hold(block.subarray(from, to - 1));
      this.finish(block.subarray(to - 1, to));
      from = to;
    }
  }

  private reset(): void {
    this.fragments.length = 0;
    this.pending = 0;
    this.dropping = false;
  }
}

function headOf(fragments: readonly Uint8Array[]): Uint8Array {
  const head = new Uint8Array(HEAD_BYTES);
  let at = 0;
  for (const fragment of fragments) {
    const part = fragment.subarray(0, HEAD_BYTES - at);
    head.set(part, at);
    at += part.length;
  }
  return head.subarray(0, at);
}

function join(fragments: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = fragments;
  if (only !== undefined && fragments.length === 1) return only;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const fragment of fragments) {
    whole.set(fragment, at);
    at += fragment.length;
  }
  return whole;
}
