import type { AnswerFault, Fault, Ignorable, OutputPipe } from './fault-data.ts';
import type { JsonObject } from './script-data.ts';

/**
 * Everything a CLI can do wrong, as data: `turn.fault(faults.garbage())` at one place of a turn,
 * `script().fault(faults.crlf())` from the start, `script().fault(faults.exit(9), { when: 'hook' })` at a moment.
 */
export interface Faults {
  /** Lines end in CRLF. */
  crlf(): Fault;
  /** A byte order mark stands before the next line. */
  byteOrderMark(): Fault;
  /** Blank lines stand before each line. */
  blankLines(count?: number): Fault;
  /** Output comes in pieces of so many bytes, cut anywhere: inside a line, a string or a character. */
  split(bytes?: number): Fault;
  /** What is written within so many milliseconds comes in one piece. */
  merged(ms?: number): Fault;
  /** Every write comes later by so many milliseconds. */
  slow(ms: number): Fault;
  /** A result ends without a line end; it comes with the next message, if there is one. */
  noFinalNewline(): Fault;

  /** A line that is no JSON. */
  garbage(line?: string): Fault;
  /** The beginning of a message, and no end. */
  partialLine(text?: string): Fault;
  /** A line of NUL bytes. */
  nul(count?: number): Fault;
  /** A message with a byte in it that is not UTF-8. */
  invalidUtf8(): Fault;
  /** A message with half a surrogate pair in its text. */
  loneSurrogates(): Fault;
  /** A message nested this deep. */
  deepNesting(levels?: number): Fault;
  /** A message whose fields are called `__proto__`, `constructor` and the like. */
  protoKeys(): Fault;
  /** A message with numbers no double can hold. */
  hugeNumbers(): Fault;
  /** JSON that is no message: a list, a number, an object without a type. */
  noMessage(value?: 'list' | 'number' | 'null' | 'untyped'): Fault;
  /** A message of an unknown type. */
  unknownMessage(message?: JsonObject): Fault;
  /** Every message carries these fields, too. */
  unknownFields(fields?: JsonObject): Fault;

  /** Messages (or lines on stderr) of about so many bytes each, as fast as they are taken. */
  flood(count: number, how?: { readonly bytes?: number; readonly to?: OutputPipe }): Fault;
  /** A line that does not end; without `bytes` it never stops. */
  endlessLine(how?: { readonly bytes?: number; readonly to?: OutputPipe }): Fault;
  /** A text on stderr. */
  stderr(text: string): Fault;

  /** Requests of the host are answered in this way; `to` is their subtype, or `*`. */
  answers(to: string, how: AnswerFault['how'], ms?: number): Fault;
  /** A response to a request that was not sent, or not sent yet. */
  strayAnswer(requestId: string, response?: JsonObject): Fault;
  /** A request of the CLI that it would not make; its answer is not waited for. */
  strayRequest(request: JsonObject, requestId?: string): Fault;
  /** Results do not come, come twice, or come late. */
  results(how: 'missing' | 'double' | 'late', ms?: number): Fault;

  /** Signals, the end of the input or control requests are ignored. */
  ignore(...what: Ignorable[]): Fault;
  /** A pipe is closed; the process lives on. */
  close(what: 'stdin' | OutputPipe): Fault;
  /** Nothing is read any more, so that the host's pipe fills up. */
  deaf(): Fault;
  /** A process is left behind that holds stdout and stderr open for so many milliseconds. */
  holdPipe(ms: number): Fault;
  /** The process leaves at once. */
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

  flood: (count, { bytes = 900, to = 'stdout' } = {}) => ({ fault: 'flood', to, count, bytes }),
  endlessLine: ({ bytes, to = 'stdout' } = {}) => ({ fault: 'endless-line', to, bytes: bytes ?? null }),
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
