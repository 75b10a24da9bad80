import { PassThrough, Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { TransportError } from '../../src/errors/stream.ts';
import { ChildOutput } from '../../src/process/child-pipes.ts';

function pull(stream: Readable): AsyncIterableIterator<Uint8Array, undefined> {
  const output = new ChildOutput('stdout', 256 * 1024);
  output.attach(stream);
  return output[Symbol.asyncIterator]();
}

const text = (step: IteratorResult<Uint8Array, undefined>): string | undefined =>
  step.done ? undefined : Buffer.from(step.value).toString();

describe('ChildOutput', () => {
  it('returns the chunk itself to a waiting reader, not a copy', async () => {
    const stream = new PassThrough();
    const bytes = pull(stream);
    const reading = bytes.next();
    const chunk = Buffer.from('abc');
    stream.write(chunk);
    expect((await reading).value).toBe(chunk);
  });

  it('keeps the order of chunks that arrive before and after the read', async () => {
    const stream = new PassThrough();
    const bytes = pull(stream);
    stream.write('1');
    stream.write('2');
    const [first, second, third] = [bytes.next(), bytes.next(), bytes.next()];
    stream.write('3');
    expect([text(await first), text(await second), text(await third)]).toEqual(['1', '2', '3']);
  });

  it('makes a read wait until the stream is attached', async () => {
    const output = new ChildOutput('stdout', 256 * 1024);
    const bytes = output[Symbol.asyncIterator]();
    const reading = bytes.next();
    const stream = new PassThrough();
    output.attach(stream);
    stream.end('late');
    expect(text(await reading)).toBe('late');
    expect((await bytes.next()).done).toBe(true);
  });

  it('yields all chunks before the end and then stays done', async () => {
    const stream = new PassThrough();
    const bytes = pull(stream);
    stream.end('last');
    await new Promise((resolve) => stream.once('end', resolve));
    expect(text(await bytes.next())).toBe('last');
    expect((await bytes.next()).done).toBe(true);
    expect((await bytes.next()).done).toBe(true);
  });

  it('rejects once with TransportError after a read failure, once earlier chunks were read', async () => {
    const stream = new PassThrough();
    const bytes = pull(stream);
    stream.write('before');
    await new Promise((resolve) => setImmediate(resolve));
    stream.destroy(new Error('EIO: broken'));
    await new Promise((resolve) => stream.once('close', resolve));
    expect(text(await bytes.next())).toBe('before');
    await expect(bytes.next()).rejects.toThrow(TransportError);
    expect((await bytes.next()).done).toBe(true);
  });

  it('rejects a pending read on a read failure', async () => {
    const stream = new PassThrough();
    const reading = pull(stream).next();
    stream.destroy(new Error('EIO: broken'));
    await expect(reading).rejects.toThrow(/stdout failed: EIO: broken/);
  });

  it('destroys the stream and ends a pending read if the iteration ends early', async () => {
    const stream = new PassThrough();
    const bytes = pull(stream);
    const reading = bytes.next();
    await bytes.return?.();
    expect((await reading).done).toBe(true);
    expect(stream.destroyed).toBe(true);
    const other = new PassThrough();
    other.write('x');
    for await (const _ of pull(other)) break;
    expect(other.destroyed).toBe(true);
  });

  it('holds little while it is not read, even if Node resumes the stream', async () => {
    let pushed = 0;
    const stream = new Readable({
      highWaterMark: 64 * 1024,
      read() {
        pushed += 64 * 1024;
        setImmediate(() => this.push(Buffer.alloc(64 * 1024)));
      },
    });
    const bytes = pull(stream);
    await new Promise((resolve) => stream.once('pause', resolve));
    const held = pushed;
    expect(held).toBeLessThanOrEqual(448 * 1024);
    stream.resume();
    await new Promise((resolve) => stream.once('pause', resolve));
    expect(pushed).toBeLessThanOrEqual(held + 192 * 1024);
    const before = pushed;
    for (let i = 0; i < 40; i++) await bytes.next();
    expect(pushed).toBeGreaterThan(before + 1024 * 1024);
    await bytes.return?.();
  });
});
