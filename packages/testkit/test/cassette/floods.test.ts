import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../src/cassette/line-splitter.ts';
import { Sanitiser } from '../../src/cassette/sanitiser.ts';

const REQUEST = { argv: ['claude'], env: {}, cwd: '/work', privateFiles: [] };

describe('recording a flood', () => {
  it.each([
    ['after ://', `https://${'a'.repeat(2_000_000)}`],
    ['of colons after ://', `https://${':'.repeat(2_000_000)}`],
    ['of question marks', `https://x${'?'.repeat(2_000_000)}`],
  ])('[W-10, K-3] takes linear time for megabytes %s', (_, text) => {
    const sanitiser = new Sanitiser(REQUEST);
    expect(sanitiser.clean(text)).toBe(text);
    const frame = JSON.stringify({ type: 'assistant', message: { content: text } });
    expect(sanitiser.clean(frame)).toBe(frame);
    const request = JSON.stringify({
      type: 'control_request',
      request: { subtype: 'apply', settings: { note: text } },
    });
    expect(sanitiser.written(request)).toBe(request);
  });

  it('[K-3] masks credentials in a URL, whatever the password contains', () => {
    const sanitiser = new Sanitiser(REQUEST);
    expect(sanitiser.clean('see https://user:pass:word@host/x')).toBe('see https://[redacted]@host/x');
    expect(sanitiser.clean('see https://host:8080/x and a@b')).toBe('see https://host:8080/x and a@b');
  });

  it('[W-10, K-3] of header values masks each in its field, and only the newest elsewhere', () => {
    const sanitiser = new Sanitiser(REQUEST);
    const value = (nth: number): string => `request-number-${nth}`;
    for (let nth = 0; nth < 2_000; nth++) {
      const line = JSON.stringify({ type: 'user', tool: { headers: { 'x-id': value(nth) } } });
      expect(sanitiser.clean(line)).not.toContain(value(nth));
    }
    expect(sanitiser.clean(`it was ${value(1_999)}`)).toBe('it was [redacted]');
    expect(sanitiser.clean(`it was ${value(3)}.`)).toBe(`it was ${value(3)}.`);
  });

  it('[W-10, K-3] of one-byte pieces is split into the same lines', () => {
    const splitter = new LineSplitter(10_000_000);
    const lines: string[] = [];
    for (const byte of Buffer.from(`${'a'.repeat(300_000)}\nb\n\nrest`)) {
      lines.push(...splitter.push(Uint8Array.of(byte)).map(String));
    }
    expect(lines.map(({ length }) => length)).toEqual([300_000, 1, 0]);
    expect(String(splitter.end())).toBe('rest');
    expect(() => new LineSplitter(3).push(Buffer.from('aaaa'))).toThrow(RangeError);
  });
});
