import { Buffer } from 'node:buffer';
import { route } from '../../packages/sdk/src/control/router.ts';
import { decodeUtf8 } from '../../packages/sdk/src/process/output-reader.ts';
import { LineDecoder } from '../../packages/sdk/src/wire/decode.ts';
import { LineFramer } from '../../packages/sdk/src/wire/lines.ts';
import { Machines } from './machines.mjs';

/** All pure code between stdout and a session, checked line by line. */
export class Pipeline {
  /** @type {Map<string, number>} */
  counts = new Map();
  /** Number of delivered lines. */
  seen = 0;
  /** @type {import('./frames.mjs').Line[]} */
  #expected = [];
  #at = 0;
  #machines = new Machines();
  #framer;
  #decoder;

  /** @param {number} maxLineBytes */
  constructor(maxLineBytes) {
    this.#decoder = new LineDecoder(decodeUtf8, {
      message: (message, raw) => this.#message(message, raw),
      undecodable: (error) => void this.#next(error.code),
    });
    this.#framer = new LineFramer(maxLineBytes, {
      line: (bytes) => {
        this.#decoder.push(bytes);
        this.drain();
      },
      oversize: ({ bytes, head }) => {
        const line = this.#next('oversize');
        if (bytes !== line.bytes.length - 1)
          throw new Error(`An oversize line of ${line.bytes.length - 1} is reported as ${bytes}`);
        if (!line.bytes.subarray(0, head.length).equals(head)) throw new Error('The head of an oversize line differs');
      },
    });
  }

  /** @param {import('./frames.mjs').Line} line */
  expect(line) {
    this.#expected.push(line);
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    this.#framer.push(chunk);
  }

  drain() {
    while (this.#decoder.step());
    if (this.#at > 10_000) {
      this.#expected.splice(0, this.#at);
      this.#at = 0;
    }
  }

  end() {
    if (this.#framer.end() !== undefined) throw new Error('Something is left in the framer');
    const left = this.#expected.slice(this.#at).filter(({ kind }) => kind !== 'blank');
    if (left.length > 0) throw new Error(`${left.length} lines are missing, the first is a ${left[0]?.kind}`);
  }

  /** @param {import('../../packages/sdk/src/wire/messages.ts').Message} message @param {string} raw */
  #message(message, raw) {
    const { type, routed: expected, bytes } = this.#next('message');
    if (message.type !== type) throw new Error(`A ${type} was decoded as a ${message.type}`);
    const source = bytes.toString().replace(/\r?\n$/, '');
    if (raw !== source) throw new Error(`The line differs: ${raw}`);
    const { kind } = route(message);
    if (kind !== expected) throw new Error(`A frame was routed as ${kind}, not ${expected}: ${raw}`);
    if (kind === 'message') this.#machines.message(message);
    if ('polluted' in {}) throw new Error('Object.prototype is polluted');
  }

  /** The next expected line; blank lines are not delivered. @param {string} kind */
  #next(kind) {
    let line = this.#expected[this.#at++];
    while (line?.kind === 'blank') {
      this.#count('blank');
      line = this.#expected[this.#at++];
    }
    if (line?.kind !== kind)
      throw new Error(`A ${line?.kind} was decoded as a ${kind}: ${line?.bytes.subarray(0, 200)}`);
    this.#count(kind);
    return /** @type {{ bytes: Buffer, type: string, routed: string }} */ (line);
  }

  /** @param {string} kind */
  #count(kind) {
    this.seen += 1;
    this.counts.set(kind, (this.counts.get(kind) ?? 0) + 1);
  }
}
