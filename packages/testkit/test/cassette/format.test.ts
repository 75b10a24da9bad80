import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare } from '../../src/cassette/compare.ts';
import { type Content, contentOfBytes, contentOfLine, contentOfWrite } from '../../src/cassette/content.ts';
import { type CassetteEntry, decodeCassette, encodeCassetteLine } from '../../src/cassette/format.ts';
import { IdMap } from '../../src/cassette/id-map.ts';
import { LineSplitter } from '../../src/cassette/line-splitter.ts';

const same = (text: string): string => text;

describe('the lines of a cassette', () => {
  it('[K-3] are the same for any chunking of any bytes, and contain all bytes', () => {
    const bytes = fc.array(fc.oneof(fc.uint8Array({ maxLength: 20 }), fc.constant(Uint8Array.of(0x0a))), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(bytes, (chunks) => {
        const whole = Buffer.concat(chunks);
        const splitter = new LineSplitter(1_000);
        const lines = chunks.flatMap((chunk) => splitter.push(chunk));
        const rest = splitter.end() ?? new Uint8Array();
        const again = Buffer.concat([...lines.flatMap((line) => [line, Uint8Array.of(0x0a)]), rest]);
        expect(again.equals(whole)).toBe(true);
        expect(lines).toEqual(new LineSplitter(1_000).push(whole));
      }),
    );
  });

  it('[K-3] are passed on in parts if a line does not end', () => {
    const splitter = new LineSplitter(10);
    splitter.push(new Uint8Array(10));
    expect(() => splitter.push(new Uint8Array(1))).toThrow('longer than 10 bytes');
  });

  it('[K-3] survive a cassette unchanged, for any bytes', () => {
    const line = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.json().map((text) => Buffer.from(text)),
      fc.dictionary(fc.string(), fc.jsonValue()).map((frame) => Buffer.from(JSON.stringify(frame))),
      fc
        .constantFrom('{"a":1.0}', '{"a":1,"a":2}', '{"__proto__":{"x":1}}', '{"2":1,"1":2}', '{ }', '{"\\u0061":1}')
        .map((text) => Buffer.from(text)),
    );
    fc.assert(
      fc.property(line, (bytes) => {
        fc.pre(!bytes.includes(0x0a));
        expect(bytesOf(throughFile(contentOfBytes(bytes, same))).equals(Buffer.from(bytes))).toBe(true);
      }),
    );
  });

  it('[K-3] survive a cassette unchanged, for any text of the host', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.dictionary(fc.string(), fc.jsonValue()).map((frame) => `${JSON.stringify(frame)}\n`),
    );
    fc.assert(
      fc.property(text, (written) => {
        const content = throughFile(contentOfWrite(written));
        expect('frame' in content ? `${JSON.stringify(content.frame)}\n` : 'text' in content && content.text).toBe(
          written,
        );
      }),
    );
  });

  it('[K-3] are stored as JSON if the JSON can be restored exactly', () => {
    expect(contentOfLine('{"type":"x","n":1}')).toEqual({ frame: { type: 'x', n: 1 } });
    expect(contentOfLine('{"type":"x", "n":1}')).toEqual({ text: '{"type":"x", "n":1}' });
    expect(contentOfLine('[1]')).toEqual({ text: '[1]' });
    expect(contentOfBytes(Uint8Array.of(0xff), same)).toEqual({ base64: '/w==' });
    const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(bytesOf(contentOfLine(deep)).toString()).toBe(deep);
  });
});

describe('the ids in a cassette', () => {
  const uuid = fc.uuid();

  it('[K-3] are replaced by the live ids in a recorded line, and can be replaced back', () => {
    const ids = fc.uniqueArray(uuid, { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(ids, fc.array(fc.nat(2), { maxLength: 8 }), fc.string(), ([a, b, c, x, y, z], picks, text) => {
        const [recorded, live] = [[a, b, c] as string[], [x, y, z] as string[]];
        const there = new IdMap();
        const back = new IdMap();
        recorded.slice(0, 2).forEach((id, index) => {
          expect(there.bind(id, live[index] ?? '')).toBe(true);
          expect(back.bind(live[index] ?? '', id)).toBe(true);
        });
        const line = (of: readonly string[]): string =>
          JSON.stringify({ text, parts: picks.map((pick) => `/a/${of[pick]}.jsonl`) });
        const expected = line([...live.slice(0, 2), c ?? '']);
        expect(there.toLive(line(recorded))).toBe(expected);
        expect(back.toLive(expected)).toBe(line(recorded));
      }),
    );
  });

  it('[K-3] stay different if they differ, and equal if they are equal', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(3))), (pairs) => {
        const ids = new IdMap();
        const there = new Map<string, string>();
        for (const [recorded, live] of pairs.map(([r, l]) => [`r${r}`, `l${l}`] as const)) {
          const fits = there.has(recorded) ? there.get(recorded) === live : ![...there.values()].includes(live);
          expect(ids.bind(recorded, live)).toBe(fits);
          if (fits) there.set(recorded, live);
        }
      }),
    );
  });

  it('[K-3] do not make frames differ if they are in the same places, and neither do times', () => {
    const frame = (id: string, request: string, at: string) => ({
      type: 'control_request',
      request_id: request,
      request: { subtype: 'x', id, text: `file ${id} at ${at}`, list: [id, 1, null] },
    });
    fc.assert(
      fc.property(uuid, uuid, (recorded, live) => {
        const ids = new IdMap();
        const left = frame(recorded, 'req_1', '2026-01-01T00:00:00.000Z');
        expect(compare(left, frame(live, 'req_7', '2027-02-02T11:11:11Z'), ids)).toEqual([]);
        expect(ids.toLive(`{"type":"control_response","response":{"request_id":"req_1","uuid":"${recorded}"}}`)).toBe(
          `{"type":"control_response","response":{"request_id":"req_7","uuid":"${live}"}}`,
        );
        expect(ids.recordedRequest('req_7')).toBe('req_1');
      }),
    );
  });

  it('[K-3] do not hide a changed value, which is reported with its path', () => {
    const withoutIds = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));
    fc.assert(
      fc.property(withoutIds, fc.string(), (value, key) => {
        fc.pre(key !== '__proto__');
        expect(compare(value, value, new IdMap())).toEqual([]);
        expect(compare({ a: value, [key]: 1 }, { a: value, [key]: 2 }, new IdMap())).toHaveLength(1);
      }),
    );
    expect(compare({ a: [{ b: 1 }, 2] }, { a: [{ b: 2 }], c: null }, new IdMap())).toEqual([
      { path: 'a[0].b', recorded: 1, live: 2 },
      { path: 'a[1]', recorded: 2 },
      { path: 'c', live: null },
    ]);
  });

  it('[K-3] may be in a text with redacted parts, which match any text', () => {
    const fits = (recorded: string, live: string) => compare(recorded, live, new IdMap()).length === 0;
    expect(fits('Bearer [redacted]', 'Bearer abc')).toBe(true);
    expect(fits('a [redacted] b [redacted] c', 'a 1 b 2 b 3 c')).toBe(true);
    expect(fits('a [redacted] b', 'a 1 c')).toBe(false);
    expect(fits('a[redacted]a', 'a')).toBe(false);
  });
});

/** Writes a content to a cassette and reads it again. */
function throughFile(content: Content): Content {
  const entry: CassetteEntry = { at: 0, dir: 'in', ...content };
  const header = { coxswainCassette: 1, run: 1, cliVersion: null, recordedAt: '', argv: [], mode: 'query' } as const;
  const text = [
    encodeCassetteLine(header),
    encodeCassetteLine(entry),
    encodeCassetteLine({ at: 0, dir: 'exit', exitCode: 0, signal: null, ended: 'by-itself' }),
    encodeCassetteLine({ dir: 'end', runs: 1 }),
  ].join('');
  const read = decodeCassette(text, 'x')[0]?.entries[0];
  if (read?.dir !== 'in') throw new Error('the entry is lost');
  return read;
}

function bytesOf(content: Content): Buffer {
  if ('base64' in content) return Buffer.from(content.base64, 'base64');
  return Buffer.from('frame' in content ? JSON.stringify(content.frame) : content.text);
}
