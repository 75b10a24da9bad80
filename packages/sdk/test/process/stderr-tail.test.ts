import { describe, expect, it } from 'vitest';
import { drainStderr, StderrTail } from '../../src/process/stderr-tail.ts';
import { createRedactor } from '../../src/redact.ts';
import { heapAfterGc } from '../soak/measures.ts';
import { startChild } from '../support/child-runs.ts';
import { program } from '../support/programs.ts';

const KNOWN = 'hunter2-hunter2';
const redact = createRedactor([KNOWN, 'two\nlines-of-secret']);
const bytes = (text: string): Uint8Array => Buffer.from(text);

function tailOf(chunks: readonly Uint8Array[], limitBytes = 8 * 1024): { text: string; lines: string[] } {
  const lines: string[] = [];
  const tail = new StderrTail({ limitBytes, redact, onLine: (line) => lines.push(line) });
  for (const chunk of chunks) tail.push(chunk);
  tail.end();
  return { text: tail.text(), lines };
}

function chunked(text: string, size: number): Uint8Array[] {
  const all = Buffer.from(text);
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.subarray(i * size, (i + 1) * size));
}

describe('[R-5] the tail of stderr', () => {
  it.each([1, 2, 3, 7, 1_000])('is the same for chunks of %i bytes', (size) => {
    const written = `Grüße 🚣 aus\r\n\nkey sk-ant-api03-abcdefghij and ${KNOWN}\nunfinished`;
    expect(tailOf(chunked(written, size))).toEqual({
      text: 'Grüße 🚣 aus\r\n\nkey [redacted] and [redacted]\nunfinished',
      lines: ['Grüße 🚣 aus', '', 'key [redacted] and [redacted]', 'unfinished'],
    });
  });

  it('already includes a text when onText reports it', () => {
    const seen: string[] = [];
    const tail = new StderrTail({ limitBytes: 100, redact, onText: () => seen.push(tail.text()) });
    for (const text of ['one\n', 'two']) tail.push(bytes(text));
    expect(seen).toEqual(['one\n', 'one\ntwo']);
  });

  it('keeps only the last bytes and does not split a character', () => {
    const { text } = tailOf([bytes(`${'€'.repeat(5_000)}\nend\n`)], 102);
    expect(text).toBe(`${'€'.repeat(32)}\nend\n`);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(102);
  });

  it('contains no part of a secret that the limit cuts', () => {
    for (let limit = 1; limit < 60; limit++) {
      const { text } = tailOf([bytes(`${'x'.repeat(20_000)}\ntoken ${KNOWN} sk-ant-api03-abcdefghij end\n`)], limit);
      expect(text).not.toMatch(/hunter2|api03|abcdef/);
    }
  });

  it('masks a secret that spans several lines', () => {
    expect(tailOf([bytes('a\ntwo\nlines-of-secret\nb\n')]).text).toBe('a\n[redacted]\nb\n');
  });

  it('cuts an endless line at about 64 KiB, never within a secret', () => {
    const parts = Array.from(
      { length: 60 },
      (_, i) => `${'y'.repeat(5_000 + i * 13)} Bearer tok-${i}-abcdefghij sk-ant-api03-${'k'.repeat(40)}`,
    );
    const { lines, text } = tailOf(chunked(parts.join(' '), 4_096));
    expect(lines.length).toBeGreaterThan(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(68 * 1024);
    expect(lines.join('')).toBe(redact(parts.join(' ')));
    expect(text).not.toMatch(/api03|kkk|abcdefghij/);
  });

  it.each([KNOWN, 'Bearer abcdefghij', 'sk-ant-api03-abcdefghij'])(
    '%s is masked wherever the cut would fall',
    (secret) => {
      for (let before = 0; before <= secret.length; before++) {
        const line = `${'y'.repeat(64 * 1024 - before - 1)} ${secret} ${'z'.repeat(9_000)}`;
        expect(tailOf([bytes(line)]).lines.join('')).toBe(redact(line));
      }
    },
  );

  it('stays small however much stderr is written', async () => {
    const tail = new StderrTail({ limitBytes: 8 * 1024, redact });
    const line = bytes(`${'z'.repeat(60_000)}\n`);
    const before = await heapAfterGc();
    for (let i = 0; i < 2_000; i++) tail.push(line);
    expect((await heapAfterGc()) - before).toBeLessThan(4_000_000);
    expect(Buffer.byteLength(tail.text())).toBe(8 * 1024);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('later');
      },
    ],
  ])('[E-4] ignores a callback that %s', async (_, onLine) => {
    const tail = new StderrTail({ limitBytes: 100, redact, onLine });
    tail.push(bytes('one\ntwo\n'));
    expect(tail.text()).toBe('one\ntwo\n');
    await new Promise((resolve) => setImmediate(resolve));
  });
});

describe('[R-5] draining stderr', () => {
  it('reads a flood completely and keeps its tail', async () => {
    const child = await startChild(program('floods-stderr.sh', '5000000'));
    let lines = 0;
    const tail = new StderrTail({ limitBytes: 640, redact, onLine: () => lines++ });
    await drainStderr(child.errorOutput, tail);
    expect(lines).toBe(Math.ceil(5_000_000 / 63));
    expect(tail.text()).toMatch(/^x+\n(x{63}\n){8,9}x+\n?$/);
    expect((await child.exited).exitCode).toBe(0);
  });

  it('keeps the text that was read before stderr fails', async () => {
    const tail = new StderrTail({ limitBytes: 100, redact });
    await drainStderr(
      {
        async *[Symbol.asyncIterator]() {
          yield bytes('last words');
          throw new Error('EIO');
        },
      },
      tail,
    );
    expect(tail.text()).toBe('last words');
  });
});
