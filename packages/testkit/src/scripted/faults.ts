import { AMOUNT, oneOf } from '@coxswain/shared/option-kinds';
import { checkOptions } from '../check-options.ts';
import type { JsonObject } from '../json.ts';
import type { AnswerFault, Fault, Ignorable, OutputPipe } from './fault-data.ts';

/**
 * Everything a CLI can do wrong, as data: `turn.fault(faults.garbage())` at one point of a turn,
 * `script().fault(faults.crlf())` from the start, `script().fault(faults.exit(9), { when: 'hook' })` at a moment.
 */
export interface Faults {
  /** Lines end in CRLF. */
  crlf(): Fault;
  /** Writes a byte order mark before the next line. */
  byteOrderMark(): Fault;
  /** Writes blank lines before each line. */
  blankLines(count?: number): Fault;
  /** Splits output into pieces of this many bytes, cut anywhere: inside a line, a string or a character. */
  split(bytes?: number): Fault;
  /** Joins everything written within this many milliseconds into one piece. */
  merged(ms?: number): Fault;
  /** Delays every write by this many milliseconds. */
  slow(ms: number): Fault;
  /** A result ends without a line feed, which comes with the next message, if any. */
  noFinalNewline(): Fault;

  /** A line that is not JSON. */
  garbage(line?: string): Fault;
  /** The start of a message without its end. */
  partialLine(text?: string): Fault;
  /** A line of NUL bytes. */
  nul(count?: number): Fault;
  /** A message with a byte in it that is not UTF-8. */
  invalidUtf8(): Fault;
  /** A message with half a surrogate pair in its text. */
  loneSurrogates(): Fault;
  /** A message nested this deep. */
  deepNesting(levels?: number): Fault;
  /** A message with fields named `__proto__`, `constructor` and the like. */
  protoKeys(): Fault;
  /** A message with numbers that do not fit into a double. */
  hugeNumbers(): Fault;
  /** JSON that is not a message: a list, a number, an object without a type. */
  noMessage(value?: 'list' | 'number' | 'null' | 'untyped'): Fault;
  /** A message of an unknown type. */
  unknownMessage(message?: JsonObject): Fault;
  /** Every message carries these additional fields. */
  unknownFields(fields?: JsonObject): Fault;

  /** Messages (or lines on stderr) of about this many bytes each, as fast as they are read. */
  flood(count: number, how?: { readonly bytes?: number; readonly to?: OutputPipe }): Fault;
  /** A line that does not end; without `bytes` it never stops. */
  endlessLine(how?: { readonly bytes?: number; readonly to?: OutputPipe }): Fault;
  /** A text on stderr. */
  stderr(text: string): Fault;

  /** Answers requests of the host in this way; `to` is their subtype, or `*`. */
  answers(to: string, how: AnswerFault['how'], ms?: number): Fault;
  /** A response to a request that was not sent, or has not been sent yet. */
  strayAnswer(requestId: string, response?: JsonObject): Fault;
  /** A request that the CLI would not make; it does not wait for the answer. */
  strayRequest(request: JsonObject, requestId?: string): Fault;
  /** Results are missing, come twice, or come late. */
  results(how: 'missing' | 'double' | 'late', ms?: number): Fault;

  /** Ignores signals, the end of the input or control requests. */
  ignore(...what: Ignorable[]): Fault;
  /** Closes a pipe; the process keeps running. */
  close(what: 'stdin' | OutputPipe): Fault;
  /** Stops reading, so that the host's pipe fills up. */
  deaf(): Fault;
  /** Leaves a process behind that holds stdout and stderr open for this many milliseconds. */
  holdPipe(ms: number): Fault;
  /** The process exits at once. */
  exit(code?: number): Fault;
  /** The process dies of a signal. */
  crash(signal?: NodeJS.Signals): Fault;
}

/** Everything a CLI can do wrong, as data. */
export const faults: Faults = {
  crlf: () => ({ fault: 'output', manner: { lineEnd: '\r\n' } }),
  byteOrderMark: () => ({ fault: 'output', manner: { head: '\uFEFF' } }),
  blankLines: (count = 1) => ({ fault: 'output', manner: { blankLines: count } }),
  split: (bytes = 7) => ({ fault: 'output', manner: { pieceBytes: bytes } }),
  merged: (ms = 20) => ({ fault: 'output', manner: { mergeMs: ms } }),
  slow: (ms) => ({ fault: 'output', manner: { delayMs: ms } }),
  noFinalNewline: () => ({ fault: 'results', how: 'open', ms: 0 }),

  garbage: (line = 'Segmentation fault? No: {just} "words".') => text(`${line}\n`),
  partialLine: (begun = '{"type":"assistant","message":{"role":"assi') => text(begun),
  nul: (count = 8) => text(`${'\0'.repeat(count)}\n`),
  invalidUtf8: () => bytes(said('here').replace('here', '\xFF\xC3\x28'), 'latin1'),
  loneSurrogates: () => text(said('half').replace('half', '\\ud83d and \\udc00')),
  deepNesting: (levels = 5_000) => text(`{"type":"system","subtype":"deep","at":${nested(levels)}}\n`),
  protoKeys: () =>
    text(
      '{"type":"system","subtype":"hostile","__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"toString":1}\n',
    ),
  hugeNumbers: () => text('{"type":"system","subtype":"huge","a":1e999,"b":123456789012345678901234567890,"c":-0}\n'),
  noMessage: (value = 'list') => text(`${notMessages[value]}\n`),
  unknownMessage: (message = { type: 'from_the_future', subtype: 'unheard_of' }) => ({ fault: 'message', message }),
  unknownFields: (fields = { from_the_future: { unheard: ['of'] } }) => ({ fault: 'fields', fields }),

  flood: (count, how = {}) => {
    checkOptions('faults.flood()', how, AMOUNT_TO);
    const { bytes = 900, to = 'stdout' } = how;
    return { fault: 'flood', to, count, bytes };
  },
  endlessLine: (how = {}) => {
    checkOptions('faults.endlessLine()', how, AMOUNT_TO);
    const { bytes, to = 'stdout' } = how;
    return { fault: 'endless-line', to, bytes: bytes ?? null };
  },
  stderr: (words) => ({ fault: 'stderr', text: words }),

  answers: (to, how, ms = 0) => ({ fault: 'answers', to, how, ms }),
  strayAnswer: (requestId, response = {}) =>
    text(`${frame({ type: 'control_response', response: { subtype: 'success', request_id: requestId, response } })}\n`),
  strayRequest: (request, requestId = 'stray') =>
    text(`${frame({ type: 'control_request', request_id: requestId, request })}\n`),
  results: (how, ms = 0) => ({ fault: 'results', how, ms }),

  ignore: (...what) => ({ fault: 'ignore', what }),
  close: (what) => ({ fault: 'close', what }),
  deaf: () => ({ fault: 'deaf' }),
  holdPipe: (ms) => ({ fault: 'hold-pipe', ms }),
  exit: (code = 1) => ({ fault: 'exit', code }),
  crash: (signal = 'SIGKILL') => ({ fault: 'crash', signal }),
};

const AMOUNT_TO = { bytes: AMOUNT, to: oneOf('stdout', 'stderr') } as const;

const notMessages = { list: '[1,2,3]', number: '42', null: 'null', untyped: '{"no":"type"}' } as const;

function text(words: string): Fault {
  return { fault: 'text', text: words };
}

function bytes(words: string, encoding: 'latin1'): Fault {
  return { fault: 'bytes', base64: Buffer.from(words, encoding).toString('base64') };
}

function said(words: string): string {
  return `${frame({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: words }] } })}\n`;
}

function frame(value: JsonObject): string {
  return JSON.stringify(value);
}

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}
