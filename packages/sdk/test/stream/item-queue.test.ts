import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDecodeError } from '../../src/errors/decode.ts';
import { ItemQueue } from '../../src/stream/item-queue.ts';
import { warning } from '../../src/warnings/warning.ts';

const NOTICE = warning('option-ignored', 'A notice.');
const BAD_LINE = new JsonDecodeError('x');
const FAILURE = new Error('the end');

const queueOf = (onDemand = () => {}): ItemQueue => new ItemQueue(onDemand);
const message = (queue: ItemQueue, n = 0): void => queue.message({ type: 'assistant', n } as never, `line ${n}`); // Any message will do.

describe('the queue of items', () => {
  it('[Q-2] hands items over in order, numbered without gaps, with the time of their chunk', async () => {
    const queue = queueOf();
    queue.at = 1_000;
    message(queue, 1);
    queue.warning(NOTICE);
    queue.error(BAD_LINE);
    expect([queue.take(), queue.take(), queue.take()]).toMatchObject([
      { kind: 'message', message: { n: 1 }, rawJson: 'line 1', seq: 0, at: 1_000 },
      { kind: 'warning', warning: NOTICE, seq: 1 },
      { kind: 'error', error: BAD_LINE, seq: 2 },
    ]);
    expect(queue.take()).toBeUndefined();
  });

  it('[Q-13] demands more when a reader waits and nothing is there, not before', () => {
    let demands = 0;
    const queue = queueOf(() => {
      demands += 1;
    });
    message(queue);
    void queue.more();
    expect([demands, queue.wanted]).toEqual([0, false]);
    queue.take();
    void queue.more();
    expect([demands, queue.wanted]).toEqual([1, true]);
    queue.end();
  });

  it('[Q-2] throws the failure once, after everything that was there, and is done', async () => {
    const queue = queueOf();
    message(queue);
    queue.end(FAILURE);
    queue.end(new Error('a later one'));
    expect(await queue.more()).toBe(true);
    expect(queue.take()).toBeDefined();
    await expect(queue.more()).rejects.toBe(FAILURE);
    expect(await queue.more()).toBe(false);
    expect(await queue.ended).toBe(FAILURE);
  });

  it('[Q-2] takes nothing in after its end', async () => {
    const queue = queueOf();
    queue.end();
    message(queue);
    queue.warning(NOTICE);
    queue.error(BAD_LINE);
    expect(queue.take()).toBeUndefined();
    expect(await queue.more()).toBe(false);
  });

  it('[Q-2, E-4] any sequence: nothing is lost, doubled or left waiting, and the end comes once', async () => {
    const action = fc.constantFrom('message', 'warning', 'error', 'take', 'more', 'wake', 'end', 'fail');
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const queue = queueOf();
        const taken: number[] = [];
        const waits: Promise<string>[] = [];
        let pushed = 0;
        let over: 'end' | 'fail' | undefined;
        const run: Record<string, () => void> = {
          message: () => message(queue),
          warning: () => queue.warning(NOTICE),
          error: () => queue.error(BAD_LINE),
          take: () => {
            const item = queue.take();
            if (item) taken.push(item.seq);
          },
          more: () => waits.push(queue.more().then(String, () => 'failed')),
          wake: () => queue.wake(),
          end: () => queue.end(),
          fail: () => queue.end(FAILURE),
        };
        for (const name of [...actions, 'end']) {
          if (/message|warning|error/.test(name) && over === undefined) pushed += 1;
          if (name === 'end' || name === 'fail') over ??= name;
          run[name]?.();
          await null;
        }
        for (let item = queue.take(); item; item = queue.take()) taken.push(item.seq);
        for (const _ of [1, 2]) waits.push(queue.more().then(String, () => 'failed'));
        const settled = await Promise.all(waits);
        expect(taken).toEqual(Array.from({ length: pushed }, (_, seq) => seq));
        expect(settled.at(-1)).toBe('false');
        expect(settled.filter((how) => how === 'failed')).toHaveLength(over === 'fail' ? 1 : 0);
        expect(await queue.ended).toBe(over === 'fail' ? FAILURE : undefined);
      }),
      { numRuns: 300 },
    );
  });
});
