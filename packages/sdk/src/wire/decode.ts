import type { CoxswainError } from '../errors/base.ts';
import { JsonDecodeError, UnexpectedMessageError, Utf8DecodeError } from '../errors/stream.ts';
import type { Message } from './messages.ts';

const CR = 0x0d;

/** Decodes UTF-8; returns undefined for invalid bytes. The caller provides it, because this folder uses no platform functions. */
export type DecodeUtf8 = (bytes: Uint8Array) => string | undefined;

/** Receives the decoded lines. */
export interface MessageSink {
  message(message: Message, rawJson: string): void;
  undecodable(error: CoxswainError): void;
}

/**
 * Decodes lines, one per `step`. Parses a line only when it is read: a parsed backlog would survive into the old generation of
 * the heap, which costs up to half of the time.
 */
export class LineDecoder {
  readonly #decodeUtf8: DecodeUtf8;
  readonly #sink: MessageSink;
  readonly #lines: (string | Utf8DecodeError)[] = [];
  /** Number of decoded lines in `#lines`. An index, because `Array.shift` is quadratic in a chunk of very many lines. */
  #decoded = 0;

  constructor(decodeUtf8: DecodeUtf8, sink: MessageSink) {
    this.#decodeUtf8 = decodeUtf8;
    this.#sink = sink;
  }

  /** Adds a line without its LF. */
  push(line: Uint8Array): void {
    const text = this.#decodeUtf8(line);
    this.#lines.push(text ?? new Utf8DecodeError(Uint8Array.from(line.at(-1) === CR ? line.subarray(0, -1) : line)));
  }

  /** Decodes the next line. Returns false if there is none. */
  step(): boolean {
    const line = this.#lines[this.#decoded];
    if (line === undefined) return false;
    this.#decoded++;
    if (this.#decoded === this.#lines.length) {
      this.#lines.length = 0;
      this.#decoded = 0;
    }
    if (typeof line === 'string') decodeLine(line, this.#sink);
    else this.#sink.undecodable(line);
    return true;
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
  if (isMessage(value)) sink.message(value, json);
  else sink.undecodable(new UnexpectedMessageError(json));
}

/** Requires only `type`: all other fields may be missing, new or different in another release. */
function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}
