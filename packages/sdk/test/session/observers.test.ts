import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/report/events.ts';
import { observedRun } from '../../src/report/watchers.ts';
import { Observer } from '../../src/session/observer.ts';
import { Observers } from '../../src/session/observers.ts';
import type { Message } from '../../src/wire/messages.ts';

async function rest<I>(observer: AsyncIterable<I>): Promise<I[]> {
  const items: I[] = [];
  for await (const item of observer) items.push(item);
  return items;
}

const event = (seq: number, line = ''): RunEvent => ({ type: 'stderr', line, seq, at: 0 });
const RUN = observedRun('session', {}, (text) => text);
const MESSAGE: Message = JSON.parse('{"type":"news"}');

describe('the queue of an observer', () => {
  it('[S-4] delivers items in order, whether the observer waits or not', async () => {
    const observer = new Observer<number>(1_000);
    const waiting = [observer.next(), observer.next()];
    observer.push(1, 1);
    observer.push(2, 1);
    observer.push(3, 1);
    expect(await Promise.all(waiting)).toEqual([
      { value: 1, done: false },
      { value: 2, done: false },
    ]);
    observer.end();
    expect(await rest(observer)).toEqual([3]);
  });

  it('[S-4] drops the oldest items if the observer falls behind, and reports their number before the next', async () => {
    const observer = new Observer<number>(30);
    for (let i = 0; i < 10; i++) observer.push(i, 10);
    expect((await observer.next()).value).toEqual({ kind: 'gap', type: 'gap', dropped: 7 });
    expect((await observer.next()).value).toBe(7);
    for (let i = 10; i < 13; i++) observer.push(i, 10);
    observer.end();
    expect(await rest(observer)).toEqual([{ kind: 'gap', type: 'gap', dropped: 2 }, 10, 11, 12]);
  });

  it('[S-4] keeps the newest item, however large it is', async () => {
    const observer = new Observer<string>(10);
    observer.push('small', 5);
    observer.push('huge', 1_000);
    observer.end();
    expect(await rest(observer)).toEqual([{ kind: 'gap', type: 'gap', dropped: 1 }, 'huge']);
  });

  it('[S-4] holds no more than its limit of a million items if the observer never reads', async () => {
    const observer = new Observer<number>(1_000);
    for (let i = 0; i < 1_000_000; i++) observer.push(i, 10);
    observer.end();
    const items = await rest(observer);
    expect(items[0]).toEqual({ kind: 'gap', type: 'gap', dropped: 999_900 });
    expect(items.slice(1)).toEqual(Array.from({ length: 100 }, (_, i) => 999_900 + i));
  });

  it('[S-4] ends waiting reads, and accepts no further items', async () => {
    const observer = new Observer<number>(10);
    const waiting = observer.next();
    observer.end();
    observer.push(1, 1);
    expect(await waiting).toEqual({ value: undefined, done: true });
    expect(await rest(observer)).toEqual([]);
  });

  it('[S-4] is discarded with its unread items when the observer stops', async () => {
    const left: unknown[] = [];
    const observer = new Observer<number>(10, (who) => left.push(who));
    observer.push(1, 1);
    for await (const _ of observer) break;
    observer.push(2, 1);
    expect(left).toEqual([observer]);
    expect(await observer.next()).toEqual({ value: undefined, done: true });
  });
});

describe('the observers of a session', () => {
  it('[S-4] include a first reader of events that gets all of them, and later ones that get those from then on', async () => {
    const observers = new Observers(1_000_000, RUN);
    observers.event(event(0));
    const first = observers.events({});
    const second = observers.events({});
    observers.event(event(1));
    observers.end();
    expect(await rest(first)).toEqual([event(0), event(1)]);
    expect(await rest(second)).toEqual([event(1)]);
  });

  it('[S-4] receive messages from the call on, with their turn', async () => {
    const observers = new Observers(1_000_000, RUN);
    observers.message(MESSAGE, '{}', 'before', 1);
    const reader = observers.messages({});
    observers.message(MESSAGE, '{"type":"news"}', 'turn-1', 2);
    observers.message(MESSAGE, '{"type":"news"}', undefined, 3);
    observers.end();
    expect(await rest(reader)).toEqual([
      { kind: 'message', message: MESSAGE, rawJson: '{"type":"news"}', turn: 'turn-1', at: 2 },
      { kind: 'message', message: MESSAGE, rawJson: '{"type":"news"}', turn: null, at: 3 },
    ]);
  });

  it('[S-4] have limits that count the size of events', async () => {
    const observers = new Observers(10_000, RUN);
    const reader = observers.events({});
    for (let i = 0; i < 4; i++) observers.event(event(i, 'x'.repeat(4_000)));
    observers.end();
    expect(await rest(reader)).toMatchObject([{ kind: 'gap', type: 'gap', dropped: 2 }, { seq: 2 }, { seq: 3 }]);
  });

  it('[S-4] end immediately if they are added after the end; the first still gets the events', async () => {
    const observers = new Observers(1_000, RUN);
    observers.event(event(0));
    observers.end();
    expect(await rest(observers.messages({}))).toEqual([]);
    expect(await rest(observers.events({}))).toEqual([event(0)]);
    expect(await rest(observers.events({}))).toEqual([]);
  });
});
