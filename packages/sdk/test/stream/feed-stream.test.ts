import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDecodeError } from '../../src/errors/stream.ts';
import { Feed } from '../../src/stream/feed.ts';
import { FeedStream } from '../../src/stream/message-stream.ts';
import { type Warning, warning } from '../../src/warnings/warning.ts';
import type { Message } from '../../src/wire/messages.ts';

const FAILURE = new Error('the end');

/** A feed that a test fills manually, and the owner of its stream. */
class TestFeed extends Feed {
  readonly warnings: Warning[] = [];
  readonly outputSchema = undefined;
  readonly redact = (text: string): string => text;
  stopped = 0;
  count = 0;

  constructor() {
    super({
      onLeave: async () => {
        this.stopped += 1;
        this.end();
      },
    });
  }

  warn(given: Warning): void {
    this.warnings.push(given);
  }

  push(kind: 'message' | 'warning' | 'error'): void {
    const n = this.count++;
    if (kind === 'message')
      this.message({ type: 'assistant', n } as unknown as Message, `{"n":${n}}`, 0); // Any message will do.
    else if (kind === 'warning') this.warning(warning('option-ignored', String(n)));
    else this.error(new JsonDecodeError(String(n)));
  }
}

type Action = 'message' | 'warning' | 'error' | 'next' | 'tick' | 'end' | 'fail' | 'stop';
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom<Action>('message', 'warning', 'error', 'next', 'next', 'tick') },
  { weight: 1, arbitrary: fc.constantFrom<Action>('end', 'fail', 'stop') },
);

describe('reading a feed', () => {
  it('[Q-2, Q-10, E-4] keeps the order, repeats nothing, throws at most once and settles every pull, for any interleaving', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
        const feed = new TestFeed();
        const iterator = new FeedStream<unknown>(feed, feed).items()[Symbol.asyncIterator]();
        const pulls: Promise<string>[] = [];
        let expected = 0;
        let stopped = false;
        let over: Action | undefined;
        const pull = (): unknown =>
          pulls.push(
            iterator.next().then(
              ({ done, value }) => (done ? 'done' : String(value.seq)),
              (error: unknown) => (error === FAILURE ? 'failed' : 'odd'),
            ),
          );
        for (const name of [...actions, 'end'] as const) {
          if (name === 'next') pull();
          else if (name === 'tick') await null;
          else if (name === 'stop') {
            stopped = true;
            over ??= name;
            void iterator.return?.();
          } else if (name === 'end' || name === 'fail') {
            over ??= name;
            feed.end(name === 'fail' ? FAILURE : undefined);
          } else {
            if (over === undefined) expected += 1;
            feed.push(name);
          }
        }
        for (let more = 0; more < expected + 3; more += 1) pull();
        const settled = await Promise.all(pulls);
        const numbers = settled.filter((how) => /^\d+$/.test(how));
        expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, seq) => String(seq)));
        if (!stopped) expect(numbers).toHaveLength(expected);
        const rest = settled.slice(settled.findLastIndex((how) => /^\d+$/.test(how)) + 1);
        expect(rest.slice(1).every((how) => how === 'done')).toBe(true);
        expect(settled).not.toContain('odd');
        if (!stopped) expect(settled.filter((how) => how === 'failed')).toHaveLength(over === 'fail' ? 1 : 0);
        expect(feed.stopped).toBe(stopped ? feed.stopped : 0);
      }),
      { numRuns: 500 },
    );
  });

  it('[Q-2] serves concurrent pulls in the order of the calls', async () => {
    const feed = new TestFeed();
    const iterator = new FeedStream<unknown>(feed, feed).items()[Symbol.asyncIterator]();
    const first = iterator.next();
    await null;
    feed.push('message');
    feed.push('message');
    const second = iterator.next();
    expect((await first).value).toMatchObject({ seq: 0 });
    expect((await second).value).toMatchObject({ seq: 1 });
  });

  it('[Q-10] yields nothing after return()', async () => {
    const feed = new TestFeed();
    feed.leave = async () => {};
    feed.push('message');
    feed.push('message');
    const iterator = new FeedStream<unknown>(feed, feed)[Symbol.asyncIterator]();
    expect(await iterator.next()).toMatchObject({ done: false });
    await iterator.return?.();
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('[Q-2] skips warnings and reports errors as warnings in a plain loop', async () => {
    const feed = new TestFeed();
    for (const kind of ['warning', 'error', 'message', 'warning', 'message'] as const) feed.push(kind);
    feed.end();
    const seen: unknown[] = [];
    for await (const message of new FeedStream<unknown>(feed, feed)) seen.push(message);
    expect(seen).toMatchObject([{ n: 2 }, { n: 4 }]);
    expect(feed.warnings).toMatchObject([
      { code: 'undecodable-line', context: { error: { code: 'json-decode', line: '1' } } },
    ]);
  });
});
