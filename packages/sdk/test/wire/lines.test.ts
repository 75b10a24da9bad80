import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineFramer, type OversizeLine } from '../../src/wire/lines.ts';
import { heapAfterGc } from '../soak/measures.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

interface Framed {
  lines: number[][];
  oversize: OversizeLine[];
  rest: number[] | undefined;
}

function frame(chunks: readonly Uint8Array[], maxLineBytes = 1 << 20): Framed {
  const framed: Framed = { lines: [], oversize: [], rest: undefined };
  const framer = new LineFramer(maxLineBytes, {
    line: (line) => framed.lines.push([...line]),
    oversize: (line) => framed.oversize.push(line),
  });
  for (const chunk of chunks) framer.push(chunk);
  const rest = framer.end();
  framed.rest = rest && [...rest];
  return framed;
}

/** A simple reference implementation that gets all bytes at once. */
function reference(all: Uint8Array): { lines: number[][]; rest: number[] | undefined } {
  const lines: number[][] = [[]];
  for (const byte of all) {
    if (byte === 0x0a) lines.push([]);
    else lines.at(-1)?.push(byte);
  }
  const rest = lines.pop();
  return { lines, rest: rest?.length ? rest : undefined };
}

function cut(all: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const borders = [0, ...cuts.map((at) => at % (all.length + 1)).sort((a, b) => a - b), all.length];
  return borders.slice(1).map((to, i) => all.subarray(borders[i], to));
}

/** Bytes with many LFs, CRs and pieces of multi-byte characters. */
const wildBytes = fc
  .array(fc.oneof(fc.constantFrom(0x0a, 0x0d, 0xc3, 0xa9, 0xf0, 0x9f, 0x22, 0x7b), fc.nat(255)), { maxLength: 300 })
  .map((list) => Uint8Array.from(list));

describe('LineFramer', () => {
  it('[W-1] returns the same lines for any chunking of the same bytes', () => {
    fc.assert(
      fc.property(wildBytes, fc.array(fc.nat(), { maxLength: 40 }), (all, cuts) => {
        const { lines, rest, oversize } = frame(cut(all, cuts));
        expect({ lines, rest }).toEqual(reference(all));
        expect(oversize).toEqual([]);
      }),
      { numRuns: 2_000 },
    );
  });

  it('[W-1] splits at LF only: CR, NEL, LS and PS stay in the line', () => {
    const { lines } = frame([bytes('a\rb\u0085c\u2028d\u2029e\nf\n')]);
    expect(lines).toEqual([[...bytes('a\rb\u0085c\u2028d\u2029e')], [...bytes('f')]]);
  });

  it('[W-3] reports exactly the lines above the limit for any chunking, and keeps their neighbours', () => {
    fc.assert(
      fc.property(
        wildBytes,
        fc.array(fc.nat(), { maxLength: 40 }),
        fc.integer({ min: 1, max: 20 }),
        (all, cuts, max) => {
          const { lines, oversize } = frame(cut(all, cuts), max);
          const expected = reference(all).lines;
          expect(lines).toEqual(expected.filter((line) => line.length <= max));
          expect(oversize.map((line) => line.bytes)).toEqual(
            expected.filter((line) => line.length > max).map((line) => line.length),
          );
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('[W-3] never holds an endless line past the limit', async () => {
    const framer = new LineFramer(64 * 1024, { line: () => {}, oversize: () => {} });
    const chunk = new Uint8Array(64 * 1024).fill(0x61);
    await heapAfterGc();
    const before = process.memoryUsage();
    for (let i = 0; i < 4_000; i++) framer.push(chunk.slice());
    await heapAfterGc();
    const after = process.memoryUsage();
    expect(framer.overflowing).toBe(true);
    expect(after.arrayBuffers - before.arrayBuffers).toBeLessThan(4 * 1024 * 1024);
    expect(framer.end()).toBeUndefined();
  });

  it('[W-3] keeps the start of an oversize line', () => {
    const { oversize } = frame([bytes('{"request_id":"r1",'), bytes('x'.repeat(5_000)), bytes('}\n')], 1_000);
    expect(new TextDecoder().decode(oversize[0]?.head)).toMatch(/^\{"request_id":"r1",x+$/);
    expect(oversize[0]?.bytes).toBe(5_020);
  });

  it('[W-2] joins a 10 MB line in 64 KiB chunks in at most three times the time of one JSON.parse of it', () => {
    const json = bytes(`${JSON.stringify({ type: 'x', text: 'abcdefgh '.repeat(1_200_000) })}\n`);
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < json.length; at += 65_536) chunks.push(json.slice(at, at + 65_536));
    const text = new TextDecoder().decode(json);
    const ratios = Array.from({ length: 9 }, () => {
      const t0 = performance.now();
      JSON.parse(text);
      const t1 = performance.now();
      const framer = new LineFramer(64 << 20, { line: () => {}, oversize: () => {} });
      for (const chunk of chunks) framer.push(chunk);
      return (performance.now() - t1) / (t1 - t0);
    }).sort((a, b) => a - b);
    expect(ratios[4]).toBeLessThan(3);
  });

  it('[W-2] takes linear time: about four times as long for a line of four times the length', () => {
    const chunk = new Uint8Array(16_384).fill(0x61);
    const time = (megabytes: number): number => {
      const start = performance.now();
      const framer = new LineFramer(1 << 30, { line: () => {}, oversize: () => {} });
      for (let i = 0; i < megabytes * 64; i++) framer.push(chunk);
      framer.push(Uint8Array.of(0x0a));
      return performance.now() - start;
    };
    time(16);
    // Use the minimum, because other load distorts single measurements. Quadratic time would be 16 times as long.
    const ratios = Array.from({ length: 15 }, () => time(32) / time(8));
    expect(Math.min(...ratios)).toBeLessThan(12);
  });
});
