import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDecodeError } from '../../src/errors/stream.ts';
import { Feed } from '../../src/stream/feed.ts';
import { warning } from '../../src/warnings/warning.ts';

const NOTICE = warning('option-ignored', 'A notice.');
const BAD_LINE = new JsonDecodeError('x');
const FAILURE = new Error('the end');

const feedOf = (onDemand = () => {}): Feed => new Feed({ pull: () => false, onDemand });
const message = (feed: Feed, n = 0): void => feed.message({ type: 'assistant', n } as never, `line ${n}`, 1_000); // Any message is sufficient.

describe('a feed that is read on demand', () => {
  it('[Q-2] returns items in order, numbered without gaps, with the time of their chunk', async () => {
    const feed = feedOf();
    message(feed, 1);
    feed.warning(NOTICE);
    feed.error(BAD_LINE);
    expect([feed.take(), feed.take(), feed.take()]).toMatchObject([
      { kind: 'message', message: { n: 1 }, rawJson: 'line 1', seq: 0, at: 1_000 },
      { kind: 'warning', warning: NOTICE, seq: 1 },
      { kind: 'error', error: BAD_LINE, seq: 2 },
    ]);
    expect(feed.take()).toBeUndefined();
  });

  it('[Q-13] demands more only when a reader waits for an item', () => {
    let demands = 0;
    const feed = feedOf(() => {
      demands += 1;
    });
    message(feed);
    void feed.more();
    expect([demands, feed.wanted]).toEqual([0, false]);
    feed.take();
    void feed.more();
    expect([demands, feed.wanted]).toEqual([1, true]);
    feed.end();
  });

  it('[Q-2] throws the failure once after the remaining items, and then ends', async () => {
    const feed = feedOf();
    message(feed);
    feed.end(FAILURE);
    feed.end(new Error('a later one'));
    expect(await feed.more()).toBe(true);
    expect(feed.take()).toBeDefined();
    await expect(feed.more()).rejects.toBe(FAILURE);
    expect(await feed.more()).toBe(false);
    expect(await feed.ended).toBe(FAILURE);
  });

  it('[Q-2] accepts nothing after its end', async () => {
    const feed = feedOf();
    feed.end();
    message(feed);
    feed.warning(NOTICE);
    feed.error(BAD_LINE);
    expect(feed.take()).toBeUndefined();
    expect(await feed.more()).toBe(false);
  });

  it('[Q-2, E-4] loses and repeats nothing and ends once, for any sequence of calls', async () => {
    const action = fc.constantFrom('message', 'warning', 'error', 'take', 'more', 'wake', 'end', 'fail');
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const feed = feedOf();
        const taken: number[] = [];
        const waits: Promise<string>[] = [];
        let pushed = 0;
        let over: 'end' | 'fail' | undefined;
        const run: Record<string, () => void> = {
          message: () => message(feed),
          warning: () => feed.warning(NOTICE),
          error: () => feed.error(BAD_LINE),
          take: () => {
            const item = feed.take();
            if (item) taken.push(item.seq);
          },
          more: () => waits.push(feed.more().then(String, () => 'failed')),
          wake: () => feed.wake(),
          end: () => feed.end(),
          fail: () => feed.end(FAILURE),
        };
        for (const name of [...actions, 'end']) {
          if (/message|warning|error/.test(name) && over === undefined) pushed += 1;
          if (name === 'end' || name === 'fail') over ??= name;
          run[name]?.();
          await null;
        }
        for (let item = feed.take(); item; item = feed.take()) taken.push(item.seq);
        for (const _ of [1, 2]) waits.push(feed.more().then(String, () => 'failed'));
        const settled = await Promise.all(waits);
        expect(taken).toEqual(Array.from({ length: pushed }, (_, seq) => seq));
        expect(settled.at(-1)).toBe('false');
        expect(settled.filter((how) => how === 'failed')).toHaveLength(over === 'fail' ? 1 : 0);
        expect(await feed.ended).toBe(over === 'fail' ? FAILURE : undefined);
      }),
      { numRuns: 300 },
    );
  });
});
