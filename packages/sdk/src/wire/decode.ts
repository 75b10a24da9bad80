import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError, UnexpectedMessageError, Utf8DecodeError } from '../errors/decode.ts';
import { LF } from './lines.ts';
import type { Message } from './messages.ts';
import { keepRaw } from './raw.ts';

const CR = 0x0d;

/** More text than one should keep for the sake of a line. */
const LARGE_BLOCK = 8_192;

/** Turns bytes into text, or says that they are not valid UTF-8. Supplied by the shell: the platform does it best. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** Where decoded lines go. */
export interface MessageSink {
  message(message: Message, rawJson: string): void;
  undecodable(error: CoxswainError): void;
}

/**
 * Decodes blocks of whole lines, one line per `step`: a message that is parsed when it is wanted dies young, while a
 * parsed backlog survives into the old generation and costs up to half of the time.
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

  /** True when nothing is left to decode. */
  get empty(): boolean {
    return this.from >= this.text.length && this.blocks.length === 0;
  }

  /**
   * Takes in a block of whole lines, each with its LF. UTF-8 is checked for all of them in one go, but for the first and
   * the last of a large block: those are what readers that wait hold on to, and a part of a text holds on to the whole.
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

  /** Decodes the next line; false when there is none. */
  step(): boolean {
    while (this.from >= this.text.length) {
      const block = this.blocks.shift();
      if (block === undefined) {
        // A session that waits must not hold on to what it has read: a thousand of them would keep 64 MB.
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
    else this.blocks[this.blocks.length] = text; // Not pushed: see the feed of a turn.
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
  // Nobody asks for the line of a control frame, and a hook should not pay for it.
  if (!value.type.startsWith('control_')) keepRaw(value, json);
  sink.message(value, json);
}

/** Only `type` is required of a message: everything else may be missing, new or different in another release. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

function withoutCr(line: Uint8Array): Uint8Array {
  return line.at(-1) === CR ? line.subarray(0, -1) : line;
}
