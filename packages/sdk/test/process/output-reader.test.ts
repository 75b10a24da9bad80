import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OutputReader } from '../../src/process/output-reader.ts';
import { StderrTail } from '../../src/process/stderr-tail.ts';
import type { Transport } from '../../src/process/transport.ts';

const NEVER: Promise<never> = new Promise(() => {});

/**
 * All reports of a reader, as text: first the lines that were too long, which are reported before earlier lines are decoded, then
 * the kind of every other line in order, and how the output ended.
 */
async function read(
  chunks: readonly Uint8Array[],
  { eager, maxLineBytes }: { eager: boolean; maxLineBytes: number },
): Promise<string[]> {
  const reported: string[] = [];
  const warned: string[] = [];
  const tooLong: string[] = [];
  async function* output(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
    yield* pieces;
  }
  // The reader uses only these parts of the transport.
  const transport = { output: output(chunks), errorOutput: output([]), exited: NEVER } as unknown as Transport;
  const reader = new OutputReader(transport, {
    eager,
    limits: { maxLineBytes, exitReadMs: 0, bufferBytes: 0 },
    stderr: new StderrTail({ limitBytes: 0, redact: (text) => text }),
    wanted: () => true,
    sink: {
      chunk: () => {
        if (!eager) queueMicrotask(stepThrough);
      },
      message: ({ type }, rawJson) => reported.push(`${type} ${rawJson}`),
      undecodable: (error) => reported.push(error.name),
      warn: ({ code }) => warned.push(code),
      oversize: ({ bytes }) => tooLong.push(`too long: ${bytes}`),
    },
  });
  const stepThrough = (): void => {
    while (reader.step());
  };
  const { unfinishedLine, failure } = await reader.read();
  stepThrough();
  return [...tooLong, ...reported, `end ${unfinishedLine ?? failure?.name ?? ''}`];
}

const line = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => JSON.stringify({ type: 'assistant', text })),
  fc.nat(99).map((id) => JSON.stringify({ type: 'control_request', request_id: `req_${id}`, request: {} })),
  fc.constantFrom('', '   ', '[1]', '{"type":7}', 'not JSON', '{"type":"user"'),
  fc.nat(6_000).map((length) => JSON.stringify({ type: 'system', text: 'x'.repeat(length) })),
);

/** Lines with LF or CRLF, the last possibly without, with a stray byte, cut into pieces. */
const output = fc
  .record({
    lines: fc.array(fc.tuple(line, fc.constantFrom('\n', '\r\n')), { maxLength: 12 }),
    rest: fc.oneof(fc.constant(''), line),
    stray: fc.option(fc.nat(), { nil: undefined }),
    cuts: fc.array(fc.nat(), { maxLength: 8 }),
  })
  .map(({ lines, rest, stray, cuts }) => {
    const bytes = Buffer.from(lines.map((parts) => parts.join('')).join('') + rest);
    if (stray !== undefined && bytes.length > 0) bytes[stray % bytes.length] = 0xff;
    const ends = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b);
    return [...ends, bytes.length].map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  });

describe('a reader of the CLI’s output', () => {
  it('[W-1, W-3, W-4, W-5] reports the same for eager and lazy decoding and for any chunking', async () => {
    await fc.assert(
      fc.asyncProperty(output, fc.constantFrom(16, 100, 5_000, 1 << 20), async (chunks, maxLineBytes) => {
        const whole = [Buffer.concat(chunks)];
        const expected = await read(whole, { eager: false, maxLineBytes });
        expect(await read(chunks, { eager: false, maxLineBytes })).toEqual(expected);
        expect(await read(chunks, { eager: true, maxLineBytes })).toEqual(expected);
        expect(await read(whole, { eager: true, maxLineBytes })).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });
});
