import { describe, expect, it } from 'vitest';
import { NewestItems } from '../../src/stream/newest-items.ts';

async function rest<I>(items: AsyncIterable<I>): Promise<I[]> {
  const all: I[] = [];
  for await (const item of items) all.push(item);
  return all;
}

function readerOf<I>(maxBytes: number, onReturn?: () => void): NewestItems<I> {
  return new NewestItems(maxBytes, (item: I) => item, onReturn);
}

describe('a reader of the newest items', () => {
  it('[S-4] receives all items in order, whether it waits or not', async () => {
    const reader = readerOf<number>(1_000);
    const waiting = [reader.next(), reader.next()];
    reader.push(1, 1);
    reader.push(2, 1);
    reader.push(3, 1);
    expect(await Promise.all(waiting)).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
    ]);
    reader.end();
    expect(await rest(reader)).toEqual([3]);
  });

  it('[S-4] loses the oldest items if it falls behind, and receives their number before the next', async () => {
    const reader = readerOf<number>(30);
    for (let i = 0; i < 10; i++) reader.push(i, 10);
    expect((await reader.next()).value).toEqual({ kind: 'gap', type: 'gap', dropped: 7 });
    expect((await reader.next()).value).toBe(7);
    for (let i = 10; i < 13; i++) reader.push(i, 10);
    reader.end();
    expect(await rest(reader)).toEqual([{ kind: 'gap', type: 'gap', dropped: 2 }, 10, 11, 12]);
  });

  it('[S-4] keeps the newest item, however large it is', async () => {
    const reader = readerOf<string>(10);
    reader.push('small', 5);
    reader.push('huge', 1_000);
    reader.end();
    expect(await rest(reader)).toEqual([{ kind: 'gap', type: 'gap', dropped: 1 }, 'huge']);
  });

  it('[S-4] holds a million items only up to its size limit if it never reads', async () => {
    const reader = readerOf<number>(1_000);
    for (let i = 0; i < 1_000_000; i++) reader.push(i, 10);
    reader.end();
    const items = await rest(reader);
    expect(items[0]).toEqual({ kind: 'gap', type: 'gap', dropped: 999_900 });
    expect(items.slice(1)).toEqual(Array.from({ length: 100 }, (_, i) => 999_900 + i));
  });

  it('[S-4] ends waiting reads at its end, and accepts no more items', async () => {
    const reader = readerOf<number>(10);
    const waiting = reader.next();
    reader.end();
    reader.push(1, 1);
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await rest(reader)).toEqual([]);
  });

  it('[S-4] is removed together with its unread items when its reader stops', async () => {
    let returned = 0;
    const reader = readerOf<number>(10, () => returned++);
    reader.push(1, 1);
    for await (const _ of reader) break;
    reader.push(2, 1);
    expect(returned).toBe(1);
    expect(await reader.next()).toEqual({ value: undefined, done: true });
  });
});
