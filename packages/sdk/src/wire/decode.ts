import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError, UnexpectedMessageError, Utf8DecodeError } from '../errors/stream.ts';
import { LF } from './lines.ts';
import type { Message } from './messages.ts';

const CR = 0x0d;

/** More bytes than a single kept line may keep in memory. */
const LARGE_BLOCK = 8_192;

/** Decodes UTF-8; undefined for invalid bytes. Passed in, because this folder uses no platform functions. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** Receives the decoded lines. */
export interface MessageSink {
  message(message: Message, rawJson: string): void;
  undecodable(error: CoxswainError): void;
}

/**
 * Decodes blocks of whole lines, one line per `step`. Lines are parsed only when they are read: a parsed backlog would
 * survive into the old generation of the heap, which costs up to half of the time.
 */
export class LineDecoder {
  private readonly decodeUtf8: DecodeUtf8;
  private readonly sink: MessageSink;
  private readonly blocks: (string | Utf8DecodeError)[] = [];
  private text = '';
  private from = 0;

  constructor(decodeUtf8: DecodeUtf8, sink: MessageSink) {
    this.decodeUtf8 = decodeUtf8;
    this.sink = sink;
  }

  /** True when there is nothing left to decode. */
  get empty(): boolean {
    return this.from >= this.text.length && this.blocks.length === 0;
  }

  /**
   * Takes a block of whole lines, each with its LF. The first and the last line of a large block are decoded separately:
   * those are the lines that a waiting reader keeps, and a line that is a slice of a text keeps all of it in memory.
   */
  push(block: Uint8Array, single = false): void {
    if (single || block.length < LARGE_BLOCK) {
      this.take(block);
      return;
    }
    const second = block.indexOf(LF) + 1;
    const last = Math.max(second, block.lastIndexOf(LF, -2) + 1);
    this.take(block.subarray(0, second));
    if (second < last) this.take(block.subarray(second, last));
    if (last < block.length) this.take(block.subarray(last));
  }

  /** Decodes the next line; false if there is none. */
  step(): boolean {
    while (this.from >= this.text.length) {
      const block = this.blocks.shift();
      if (block === undefined) {
        // Frees the text: a thousand waiting sessions would keep 64 MB.
        this.open('');
        return false;
      }
      if (typeof block !== 'string') {
        this.sink.undecodable(block);
        return true;
      }
      this.open(block);
    }
    const end = this.text.indexOf('\n', this.from);
    const line = this.text.slice(this.from, end);
    this.from = end + 1;
    decodeLine(line, this.sink);
    return true;
  }

  private take(block: Uint8Array): void {
    const text = this.decodeUtf8(block);
    if (text === undefined) this.takeOneByOne(block);
    else if (this.empty) this.open(text);
    else this.blocks.push(text);
  }

  private open(text: string): void {
    this.text = text;
    this.from = 0;
  }

  private takeOneByOne(block: Uint8Array): void {
    for (let from = 0; from < block.length; ) {
      const end = block.indexOf(LF, from);
      const line = block.subarray(from, end);
      const text = this.decodeUtf8(line);
      this.blocks.push(text === undefined ? new Utf8DecodeError(Uint8Array.from(withoutCr(line))) : `${text}\n`);
      from = end + 1;
    }
  }
}

/** Decodes one line without its LF. */
export function decodeLine(line: string, sink: MessageSink): void {
  const json = line.charCodeAt(line.length - 1) === CR ? line.slice(0, -1) : line;
  if (json.length === 0) return;
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    if (json.trim() !== '') sink.undecodable(new JsonDecodeError(json, cause));
    return;
  }
  if (!isMessage(value)) {
    sink.undecodable(new UnexpectedMessageError(json));
    return;
  }
  sink.message(value, json);
}

/** Only `type` is required of a message: everything else may be missing, new or different in another release. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function withoutCr(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
