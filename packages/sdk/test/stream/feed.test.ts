import { describe, expect, it } from 'vitest';
import { JsonDecodeError } from '../../src/errors/stream.ts';
import { Feed, type FeedOptions } from '../../src/stream/feed.ts';
import type { PermissionItem, StreamItem } from '../../src/stream/items.ts';
import { ITEM_BYTES } from '../../src/stream/queue.ts';
import type { Message } from '../../src/wire/messages.ts';

function feedOf(options: Partial<FeedOptions> = {}): { feed: Feed; drained: () => number } {
  let drained = 0;
  const feed = new Feed({
    bufferBytes: 10_000,
    backlogBytes: 30_000,
    pausable: () => false,
    onDrained: () => {
      drained += 1;
    },
    ...options,
  });
  return { feed, drained: () => drained };
}

type FeedItem = StreamItem | PermissionItem;

/** Adds a message of this size. */
function say(feed: Feed, bytes = 1_000, type = 'assistant'): void {
  const bare = JSON.stringify({ type, text: '' });
  const rawJson = bare.replace('""', `"${'x'.repeat(bytes - ITEM_BYTES - bare.length)}"`);
  const message: Message = JSON.parse(rawJson);
  feed.message(message, rawJson, 5);
}

async function rest(feed: Feed): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  do {
    for (let item = feed.take(); item !== undefined; item = feed.take()) items.push(item);
  } while (await feed.more());
  return items;
}

describe('a feed', () => {
  it('[S-12] delivers all items in order and numbered while it is read', async () => {
    const { feed } = feedOf();
    say(feed);
    feed.warning({ code: 'hook-failed', message: 'm', context: {} });
    say(feed);
    const reading = rest(feed);
    say(feed, 1_000, 'result');
    feed.end();
    expect((await reading).map(({ kind, seq }) => `${seq} ${kind}`)).toEqual([
      '0 message',
      '1 warning',
      '2 message',
      '3 message',
    ]);
    expect(feed.results).toHaveLength(1);
  });

  it('[S-12] keeps up to bufferBytes for a later reader', async () => {
    const { feed } = feedOf();
    for (let i = 0; i < 10; i++) say(feed);
    feed.end();
    expect(await rest(feed)).toHaveLength(10);
  });

  it('[S-12] keeps only results above bufferBytes without a reader, and throws TurnNotKeptError once', async () => {
    const { feed } = feedOf();
    for (let i = 0; i < 11; i++) say(feed);
    say(feed, 1_000, 'result');
    feed.end();
    await expect(rest(feed)).rejects.toMatchObject({ name: 'TurnNotKeptError', limit: 10_000 });
    expect(await rest(feed)).toEqual([]);
    expect(await feed.ended).toBeUndefined();
    expect(feed.results).toHaveLength(1);
  });

  it('[S-12] lets a reader fall behind up to backlogBytes, then throws ReaderTooSlowError; the turn continues', async () => {
    const { feed } = feedOf();
    say(feed);
    feed.take();
    for (let i = 0; i < 30; i++) say(feed);
    expect(feed.full).toBe(true);
    say(feed);
    await expect(rest(feed)).rejects.toMatchObject({ name: 'ReaderTooSlowError', limit: 30_000 });
    say(feed, 1_000, 'result');
    feed.end();
    expect(await feed.ended).toBeUndefined();
    expect(feed.results).toHaveLength(1);
  });

  it('[S-12] never drops its reader with a pausable pipe, and calls onDrained when the reader has caught up', () => {
    const { feed, drained } = feedOf({ pausable: () => true });
    feed.take();
    for (let i = 0; i < 50; i++) say(feed);
    expect(feed.full).toBe(true);
    for (let i = 0; i < 49; i++) expect(feed.take()?.seq).toBe(i);
    expect(drained()).toBe(0);
    expect(feed.take()?.seq).toBe(49);
    expect(drained()).toBe(1);
    expect(feed.full).toBe(false);
  });

  it('[S-12, W-7] keeps a long backlog as lines, and each message has its exact line', async () => {
    const { feed } = feedOf({ bufferBytes: 10_000_000, backlogBytes: 10_000_000 });
    for (let i = 0; i < 100; i++) say(feed, 10_000);
    feed.end();
    const items = await rest(feed);
    expect(items).toHaveLength(100);
    for (const item of items) {
      expect(item).toMatchObject({ kind: 'message', at: 5, message: { type: 'assistant' } });
      expect(item.kind === 'message' && JSON.parse(item.rawJson)).toEqual(item.kind === 'message' && item.message);
    }
  });

  it('[U-8] keeps no results after delivery with keepsResults: false', async () => {
    const feed = new Feed({ keepsResults: false });
    for (let i = 0; i < 10; i++) say(feed, 1_000, 'result');
    expect(feed).toMatchObject({ bytes: 10_000, reading: false });
    feed.end();
    expect(await rest(feed)).toHaveLength(10);
    expect(feed).toMatchObject({ bytes: 0, reading: true, results: [] });
  });

  it('[W-10, S-12] counts the overhead of small items: 50,000 messages of 20 bytes exceed one megabyte', async () => {
    const { feed } = feedOf({ bufferBytes: 2_000_000 });
    for (let i = 0; i < 50_000; i++) feed.message({ type: 'keep_alive' }, '{"type":"keep_alive"}', 5);
    await expect(rest(feed)).rejects.toMatchObject({ name: 'TurnNotKeptError' });
    const few = feedOf({ bufferBytes: 2_000_000 }).feed;
    for (let i = 0; i < 7_000; i++) few.message({ type: 'keep_alive' }, '{"type":"keep_alive"}', 5);
    few.end();
    expect(await rest(few)).toHaveLength(7_000);
  });

  it('[W-10, S-12] counts the size of warnings and errors, including stacks', async () => {
    const warned = feedOf({ bufferBytes: 1_000_000 }).feed;
    for (let i = 0; i < 1_000; i++) warned.warning({ code: 'hook-failed', message: 'm', context: {} });
    await expect(rest(warned)).rejects.toMatchObject({ name: 'TurnNotKeptError' });
    const failed = feedOf({ bufferBytes: 1_000_000 }).feed;
    for (let i = 0; i < 300; i++) failed.error(new JsonDecodeError('1'));
    await expect(rest(failed)).rejects.toMatchObject({ name: 'TurnNotKeptError' });
  });

  it('[W-10] keeps the newest results of a flood', () => {
    const feed = new Feed();
    for (let i = 0; i < 5_000; i++) say(feed, 1_000, 'result');
    expect(feed.results).toHaveLength(1_000);
    for (let i = 0; i < 20; i++) say(feed, 10_000_000, 'result');
    expect(feed.results).toHaveLength(1);
  });

  it('[S-12] delivers everything in order to a reader that is always one item behind', () => {
    const { feed } = feedOf();
    say(feed);
    for (let i = 0; i < 5_000; i++) {
      say(feed);
      expect(feed.take()?.seq).toBe(i);
    }
    expect(feed.take()?.seq).toBe(5_000);
    expect(feed.take()).toBeUndefined();
  });

  it('[S-3, S-12] keeps nothing for a reader that has stopped', async () => {
    const { feed, drained } = feedOf();
    say(feed);
    feed.take();
    await feed.leave();
    for (let i = 0; i < 100; i++) say(feed);
    expect(feed.full).toBe(false);
    expect(drained()).toBeGreaterThan(0);
    say(feed, 1_000, 'result');
    feed.end();
    expect(await rest(feed)).toEqual([]);
    expect(feed.results).toHaveLength(1);
  });

  it('[S-7, S-10] throws its failure once, after the remaining items or immediately', async () => {
    const later = feedOf().feed;
    say(later);
    later.end(new Error('gone'));
    later.end(new Error('second'));
    expect(later.take()?.kind).toBe('message');
    await expect(later.more()).rejects.toThrow('gone');
    expect(await later.more()).toBe(false);
    expect((await later.ended)?.message).toBe('gone');
    const atOnce = feedOf().feed;
    say(atOnce);
    atOnce.end(new Error('aborted'), true);
    expect(atOnce.take()).toBeUndefined();
    await expect(atOnce.more()).rejects.toThrow('aborted');
  });

  it('[S-12] limits unread warnings as well', async () => {
    const { feed } = feedOf();
    for (let i = 0; i < 1_000; i++) feed.warning({ code: 'undecodable-line', message: 'x'.repeat(100), context: {} });
    feed.end();
    await expect(rest(feed)).rejects.toMatchObject({ name: 'TurnNotKeptError' });
  });

  it('[P-10, Q-2] holds permissions until its reader is known to skip them', () => {
    const { feed } = feedOf();
    const answer = { kind: 'permission-answered', id: 'p', tool: 'Bash', decision: 'allow', ms: 1 } as const;
    feed.permission(answer);
    expect(feed.bytes).toBeGreaterThan(0);
    expect(feed.take()).toMatchObject({ kind: 'permission-answered' });
    feed.refusePermissions();
    feed.permission(answer);
    expect([feed.takesPermissions, feed.bytes]).toEqual([false, 0]);
  });
});
