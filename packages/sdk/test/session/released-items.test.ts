import { describe, expect, it } from 'vitest';
import { Feed } from '../../src/stream/feed.ts';
import { NewestItems } from '../../src/stream/newest-items.ts';
import type { Message } from '../../src/wire/messages.ts';
import { heapAfterGc } from '../soak/measures.ts';

/** Fewer than the queue compacts at once, so that nothing is released accidentally. */
const COUNT = 100;

/** The indexes of the objects that survive a collection. */
async function alive(refs: readonly WeakRef<object>[]): Promise<number[]> {
  // A dereferenced object stays alive until the end of the current job.
  await new Promise((resolve) => setImmediate(resolve));
  await heapAfterGc();
  return refs.flatMap((ref, at) => (ref.deref() === undefined ? [] : [at]));
}

function readerOf(maxBytes: number): NewestItems<object> {
  return new NewestItems(maxBytes, (item: object) => item);
}

/** Pushes `COUNT` items of size 10 without keeping them. */
function fill(reader: NewestItems<object>): WeakRef<object>[] {
  return Array.from({ length: COUNT }, (_, at) => {
    const item = { at };
    reader.push(item, 10);
    return new WeakRef(item);
  });
}

/** Reads `count` items without keeping them. */
async function read(reader: NewestItems<object>, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) await reader.next();
}

/** Adds messages without keeping them. */
function say(feed: Feed): WeakRef<object>[] {
  return Array.from({ length: COUNT }, (_, at) => {
    const rawJson = JSON.stringify({ type: 'assistant', at });
    const message: Message = JSON.parse(rawJson);
    feed.message(message, rawJson, 0);
    return new WeakRef(message);
  });
}

function take(feed: Feed, count: number): void {
  for (let at = 0; at < count; at += 1) feed.take();
}

const last = (count: number): number[] => Array.from({ length: count }, (_, at) => COUNT - count + at);

describe('a reader of the newest items', () => {
  it('[S-4] keeps only the items that it holds alive, not the dropped ones, if it never reads', async () => {
    const reader = readerOf(30);
    const refs = fill(reader);
    expect(await alive(refs)).toEqual(last(3));
    expect((await reader.next()).value).toMatchObject({ kind: 'gap', dropped: COUNT - 3 });
  });

  it('[S-4] does not keep read items alive', async () => {
    const reader = readerOf(1_000_000);
    const refs = fill(reader);
    await read(reader, COUNT - 2);
    expect(await alive(refs)).toEqual(last(2));
    expect((await reader.next()).value).toEqual({ at: COUNT - 2 });
  });
});

describe('the feed of a turn', () => {
  it('[S-12] does not keep taken items alive while its reader is slightly behind', async () => {
    const feed = new Feed({
      bufferBytes: 1_000_000,
      backlogBytes: 1_000_000,
      pausable: () => false,
      onDrained: () => {},
    });
    const refs = say(feed);
    take(feed, COUNT - 2);
    expect(await alive(refs)).toEqual(last(2));
    expect(feed.take()?.seq).toBe(COUNT - 2);
  });
});
