import { CoxswainError } from './base.ts';

/** A line on stdout was not valid UTF-8; `bytes` are its exact bytes. */
export class Utf8DecodeError extends CoxswainError {
  declare readonly code: 'utf8-decode';
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super(
      'Utf8DecodeError',
      `A line of ${bytes.length} bytes on the CLI's stdout is not valid UTF-8. Something other than Claude Code may write there.`,
    );
    this.bytes = bytes;
  }
}

/** A line on stdout was not JSON; `line` is the exact line. */
export class JsonDecodeError extends CoxswainError {
  declare readonly code: 'json-decode';
  readonly line: string;

  constructor(line: string, cause?: unknown) {
    super(
      'JsonDecodeError',
      `A line on the CLI's stdout is not JSON: ${excerpt(line)}. A wrapper script or an old CLI may print there.`,
      cause === undefined ? undefined : { cause },
    );
    this.line = line;
  }
}

/** A line was JSON, but not an object with a string `type`. */
export class UnexpectedMessageError extends CoxswainError {
  declare readonly code: 'unexpected-message';
  readonly rawJson: string;

  constructor(rawJson: string) {
    super(
      'UnexpectedMessageError',
      `The CLI sent JSON that is not a message (no string "type"): ${excerpt(rawJson)}. The run goes on without it.`,
    );
    this.rawJson = rawJson;
  }
}

/** Too many undecodable lines in a row: this is not the CLI's protocol. */
export class TooManyDecodeErrors extends CoxswainError {
  declare readonly code: 'too-many-decode-errors';
  readonly count: number;
  readonly last: CoxswainError;

  constructor(count: number, last: CoxswainError) {
    super(
      'TooManyDecodeErrors',
      `${count} lines in a row could not be decoded: the program does not speak Claude Code's stream-json. Check the option cli and any wrapper. Last: ${last.message}`,
      { cause: last },
    );
    this.count = count;
    this.last = last;
  }
}

/** A line grew past `limits.maxLineBytes` before it ended. */
export class BufferOverflowError extends CoxswainError {
  declare readonly code: 'buffer-overflow';
  readonly limit: number;

  constructor(limit: number) {
    super(
      'BufferOverflowError',
      `The CLI sent a line longer than ${limit} bytes. Raise limits.maxLineBytes if such answers are expected.`,
    );
    this.limit = limit;
  }
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 120 ? `${text.slice(0, 120)}…` : text);
}
