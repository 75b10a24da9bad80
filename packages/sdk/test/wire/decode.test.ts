import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCoxswainError } from '../../src/errors/any-error.ts';
import { JsonDecodeError, type UnexpectedMessageError, Utf8DecodeError } from '../../src/errors/stream.ts';
import { type DecodeUtf8, LineDecoder, type MessageSink } from '../../src/wire/decode.ts';
import { LineFramer } from '../../src/wire/lines.ts';
import { heapAfterGc } from '../soak/measures.ts';

const decodeUtf8: DecodeUtf8 = (bytes) => (isUtf8(bytes) ? Buffer.from(bytes).toString() : undefined);

function decodeBlock(block: Uint8Array, sink: MessageSink): void {
  const decoder = new LineDecoder(decodeUtf8, sink);
  const framer = new LineFramer(1 << 30, {
    line: (bytes) => decoder.push(bytes),
    oversize: () => expect.unreachable(),
  });
  framer.push(block);
  while (decoder.step());
}

function decode(...lines: (string | Uint8Array)[]): { messages: object[]; raws: string[]; errors: Error[] } {
  const out = { messages: [] as object[], raws: [] as string[], errors: [] as Error[] };
  const block = Buffer.concat(lines.flatMap((line) => [Buffer.from(line), Buffer.from('\n')]));
  decodeBlock(block, {
    message(message, raw) {
      out.messages.push(message);
      out.raws.push(raw);
    },
    undecodable: (error) => out.errors.push(error),
  });
  return out;
}

describe('LineDecoder', () => {
  it('[W-1] drops one trailing CR and skips blank lines', () => {
    const { messages, raws, errors } = decode('{"type":"a"}\r', '', '\r', '   ', '{"type":"b"}');
    expect(messages).toEqual([{ type: 'a' }, { type: 'b' }]);
    expect(raws).toEqual(['{"type":"a"}', '{"type":"b"}']);
    expect(errors).toEqual([]);
  });

  it('[W-4] reports the exact bytes of a line that is not UTF-8, and decodes its neighbours', () => {
    const bad = Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d);
    const { messages, errors } = decode('{"type":"é"}', bad, '{"type":"ü"}');
    expect(messages).toEqual([{ type: 'é' }, { type: 'ü' }]);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toBeInstanceOf(Utf8DecodeError);
    expect((errors[0] as Utf8DecodeError).bytes).toEqual(bad);
  });

  it.each([0, 1, 50, 98, 99])('[W-4] loses only line %i of a large block with bad UTF-8 in that line', (bad) => {
    const lines = Array.from({ length: 100 }, (_, at) => `{"type":"é","at":${at},"text":"${'x'.repeat(200)}"}`);
    const bytes = Uint8Array.of(0x7b, 0xff, 0x7d);
    const { messages, raws, errors } = decode(...lines.map((line, at) => (at === bad ? bytes : line)));
    expect(messages).toMatchObject(lines.flatMap((_, at) => (at === bad ? [] : [{ at }])));
    expect(raws).toEqual(lines.filter((_, at) => at !== bad));
    expect(errors.map((error) => (error as Utf8DecodeError).bytes)).toEqual([bytes]);
  });

  it('[W-7, S-12] does not keep a chunk in memory because of its first and last line', async () => {
    const line = `{"type":"a","text":"${'x'.repeat(900)}"}`;
    const chunk = Buffer.from(`${line}\n`.repeat(70));
    const kept: string[] = [];
    const before = await heapAfterGc();
    for (let round = 0; round < 200; round++) {
      const lines: string[] = [];
      decodeBlock(Buffer.from(chunk), { message: (_, rawJson) => lines.push(rawJson), undecodable: () => {} });
      kept.push(lines.at(0) ?? '', lines.at(-1) ?? '');
    }
    const heldPerChunk = ((await heapAfterGc()) - before) / 200;
    expect(kept.every((rawJson) => rawJson === line)).toBe(true);
    // Two lines, not 64 KB.
    expect(heldPerChunk).toBeLessThan(10_000);
  });

  it('[W-4, W-9] reports the exact line that is not JSON', () => {
    const { messages, errors } = decode('Warning: something', '{"type":"a"}', '{"type":');
    expect(messages).toEqual([{ type: 'a' }]);
    expect(errors.map((error) => (error as JsonDecodeError).line)).toEqual(['Warning: something', '{"type":']);
    expect(errors.every((error) => error instanceof JsonDecodeError && error.cause instanceof SyntaxError)).toBe(true);
  });

  it('[W-5] reports JSON other than an object with a string type, with the raw JSON', () => {
    const lines = ['1', 'null', '"x"', '[{"type":"a"}]', '{}', '{"type":7}', 'true'];
    const { messages, errors } = decode(...lines);
    expect(messages).toEqual([]);
    expect(errors.map((error) => (error as UnexpectedMessageError).rawJson)).toEqual(lines);
  });

  it('[W-6] keeps everything unknown: types, fields and blocks', () => {
    const json =
      '{"type":"quantum_leap","new":{"deep":[1,{"x":null}]},"message":{"content":[{"type":"hologram","z":1}]}}';
    const { messages } = decode(json);
    expect(messages).toEqual([JSON.parse(json)]);
  });

  it('[W-7] passes each message on with its exact source line, which is never re-encoded', () => {
    const json = '{ "type" : "a",\t"n":1.0, "e":"\\u00e9", "big":12345678901234567890 }';
    const { messages, raws } = decode(json);
    expect(raws).toEqual([json]);
    expect(messages).toStrictEqual([JSON.parse(json)]);
  });

  it('[W-8] is not polluted by __proto__ and constructor keys', () => {
    const { messages } = decode('{"type":"a","__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    expect(Object.getPrototypeOf(messages[0])).toBe(Object.prototype);
  });

  it('[W-8] handles 5,000 levels of nesting', () => {
    const deep = `{"type":"a","x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`;
    const { messages, errors } = decode(deep);
    expect(errors).toEqual([]);
    expect(messages).toHaveLength(1);
  });

  it('[W-8] takes little longer than JSON.parse for a 16 MB line', () => {
    const line = JSON.stringify({ type: 'a', text: 'x'.repeat(16 << 20) });
    const ratios = Array.from({ length: 7 }, () => {
      const t0 = performance.now();
      JSON.parse(line);
      const t1 = performance.now();
      decode(line);
      return (performance.now() - t1) / (t1 - t0);
    });
    expect(Math.min(...ratios)).toBeLessThan(6);
  });

  it('[W-1, W-4, E-4] never throws and loses no line, for any bytes and chunks', () => {
    const line = fc.oneof(
      fc.json(),
      fc.string(),
      fc.record({ type: fc.string(), x: fc.jsonValue() }).map((value) => JSON.stringify(value)),
      fc.uint8Array({ maxLength: 30 }).map((array) => array.filter((byte) => byte !== 0x0a)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), fc.integer({ min: 1, max: 50 }), (lines, size) => {
        const clean = lines.map((entry) => (typeof entry === 'string' ? entry.replaceAll('\n', ' ') : entry));
        const all = Buffer.concat(clean.flatMap((entry) => [Buffer.from(entry), Buffer.from('\n')]));
        let seen = 0;
        const framer = new LineFramer(1 << 20, {
          line: (bytes) =>
            decodeBlock(Buffer.concat([bytes, Buffer.from('\n')]), {
              message: (message, raw) => {
                seen += 1;
                expect(message).toEqual(JSON.parse(raw));
              },
              undecodable: (error) => {
                seen += 1;
                expect(isCoxswainError(error)).toBe(true);
              },
            }),
          oversize: () => expect.unreachable(),
        });
        for (let at = 0; at < all.length; at += size) framer.push(all.subarray(at, at + size));
        const blank = clean.filter((entry) => {
          const text = Buffer.from(entry).toString();
          return isUtf8(Buffer.from(entry)) && text.replace(/\r$/, '').trim() === '';
        });
        expect(seen).toBe(clean.length - blank.length);
      }),
      { numRuns: 1_000 },
    );
  });
});
