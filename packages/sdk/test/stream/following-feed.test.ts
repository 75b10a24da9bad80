import { describe, expect, it, vi } from 'vitest';
import { Feed } from '../../src/stream/feed.ts';
import { FollowingFeed } from '../../src/stream/following-feed.ts';
import type { PermissionItem, StreamItem } from '../../src/stream/items.ts';
import type { Message } from '../../src/wire/messages.ts';
import { assistant, result } from '../support/say.ts';

type FeedItem = StreamItem | PermissionItem;

/** An ended attempt with these messages. */
function attemptOf(...messages: readonly object[]): Feed {
  const feed = new Feed({
    bufferBytes: 100_000,
    backlogBytes: 100_000,
    pausable: () => false,
    onDrained: () => {},
  });
  for (const message of messages) feed.message(message as Message, JSON.stringify(message), 1);
  return feed;
}

async function rest(feed: FollowingFeed): Promise<FeedItem[]> {
  const items: FeedItem[] = [];
  do {
    for (let item = feed.take(); item; item = feed.take()) items.push(item);
  } while (await feed.more());
  return items;
}

const textsOf = (items: readonly FeedItem[]): string[] =>
  items.map((item) => /"text":"(.*?)"/.exec(JSON.stringify(item))?.[1] ?? item.kind);

describe('a feed that follows others', () => {
  it('[A-2] passes on all items of each feed, one feed after the other, numbered without gaps', async () => {
    const relay = new FollowingFeed();
    const attempts = [1, 2, 3].map((nth) => attemptOf(assistant(`${nth}a`), assistant(`${nth}b`)));
    for (const attempt of attempts) {
      relay.follow(attempt);
      attempt.end(new Error('The CLI died'));
    }
    relay.end();
    const items = await rest(relay);
    expect(textsOf(items)).toEqual(['1a', '1b', '2a', '2b', '3a', '3b']);
    expect(items.map(({ seq }) => seq)).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it("[A-2] continues with the next feed at the reader's position, even while the reader waits", async () => {
    const relay = new FollowingFeed();
    const first = attemptOf(assistant('1a'), assistant('1b'));
    relay.follow(first);
    const before = relay.take();
    first.end(new Error('The CLI died'));
    const second = attemptOf();
    relay.follow(second);
    const after = rest(relay);
    second.message(assistant('2a') as Message, JSON.stringify(assistant('2a')), 1);
    second.end();
    relay.end();
    const items = [...(before ? [before] : []), ...(await after)];
    expect(textsOf(items)).toEqual(['1a', '1b', '2a']);
    expect(items.map(({ seq }) => seq)).toEqual([0, 1, 2]);
  });

  it('[A-2] has the results of the last feed, whichever feed is being read', () => {
    const relay = new FollowingFeed();
    expect(relay.results).toEqual([]);
    relay.follow(attemptOf(assistant('1a'), result({ result: 'first' })));
    relay.take();
    relay.follow(attemptOf(result({ result: 'second' })));
    expect(relay.results).toMatchObject([{ result: 'second' }]);
    relay.follow(attemptOf());
    expect(relay.results).toEqual([]);
    expect(textsOf([relay.take()].flatMap((item) => item ?? []))).toEqual(['message']);
  });

  it('[A-2, S-12] announces the reader to later feeds as well', () => {
    const relay = new FollowingFeed();
    const options = { bufferBytes: 10, backlogBytes: 100_000, pausable: () => false, onDrained: () => {} };
    relay.follow(attemptOf(assistant('1a')));
    relay.take();
    const second = new Feed(options);
    relay.follow(second);
    for (const text of ['2a', '2b']) second.message(assistant(text) as Message, JSON.stringify(assistant(text)), 1);
    expect(textsOf([relay.take(), relay.take()].flatMap((item) => item ?? []))).toEqual(['2a', '2b']);
  });

  it('[A-2, Q-11] stops reading every feed when its reader stops, including later ones', async () => {
    const relay = new FollowingFeed();
    const attempts = [attemptOf(assistant('1a')), attemptOf(assistant('2a')), attemptOf(assistant('3a'))];
    const leaves = attempts.map((attempt) => vi.spyOn(attempt, 'leave'));
    for (const attempt of attempts.slice(0, 2)) relay.follow(attempt);
    await relay.leave();
    for (const attempt of attempts.slice(2)) relay.follow(attempt);
    expect(leaves.map(({ mock }) => mock.calls.length)).toEqual([1, 1, 1]);
    expect([relay.take(), await relay.more()]).toEqual([undefined, false]);
  });

  it('[A-2] throws its own failure at the end, and no failure of a followed feed', async () => {
    const relay = new FollowingFeed();
    for (const nth of [1, 2]) {
      const attempt = attemptOf(assistant(`${nth}a`));
      relay.follow(attempt);
      attempt.end(new Error(`death ${nth}`));
    }
    relay.end(new Error('given up'));
    expect(textsOf([relay.take(), relay.take()].flatMap((item) => item ?? []))).toEqual(['1a', '2a']);
    await expect(relay.more()).rejects.toThrow('given up');
    expect(await relay.more()).toBe(false);
  });
});
