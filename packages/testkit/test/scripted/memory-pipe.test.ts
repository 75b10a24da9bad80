import { describe, expect, it } from 'vitest';
import { MemoryPipe } from '../../src/scripted/memory-pipe.ts';

describe('MemoryPipe', () => {
  it('[K-1] returns the written data in order, and ends', async () => {
    const pipe = new MemoryPipe();
    expect([pipe.write('a'), pipe.write(Uint8Array.of(98))]).toEqual([undefined, undefined]);
    pipe.end();
    expect(await textOf(pipe)).toBe('ab');
    expect(pipe.write('late')).toBeUndefined();
  });

  it('[K-1] blocks a writer while it is full', async () => {
    const pipe = new MemoryPipe();
    expect(pipe.write('x'.repeat(60_000))).toBeUndefined();
    let taken = false;
    const held = pipe.write('y'.repeat(60_000))?.then(() => {
      taken = true;
    });
    const reader = pipe[Symbol.asyncIterator]();
    await new Promise(setImmediate);
    expect(taken).toBe(false);
    await reader.next();
    await held;
    expect(taken).toBe(true);
  });

  it('[K-1] releases a writer when its reader stops', async () => {
    const pipe = new MemoryPipe();
    const held = pipe.write('x'.repeat(100_000));
    for await (const _ of pipe) break;
    await held;
    expect(pipe.closed).toBe(true);
  });
});

async function textOf(pipe: MemoryPipe): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of pipe) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
