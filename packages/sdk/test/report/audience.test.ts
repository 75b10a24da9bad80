import { describe, expect, it } from 'vitest';
import { Audience } from '../../src/report/audience.ts';
import type { EventBody } from '../../src/report/events.ts';
import type { ObservedMessage } from '../../src/report/run-observer.ts';
import type { Message } from '../../src/wire/messages.ts';

async function rest<I>(items: AsyncIterable<I>): Promise<I[]> {
  const all: I[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const event = (line = ''): EventBody => ({ type: 'stderr', line });
const MESSAGE: Message = JSON.parse('{"type":"news"}');

function message(turn: string | null, at: number): ObservedMessage {
  return { kind: 'message', message: MESSAGE, rawJson: '{"type":"news"}', turn, at };
}

/** The audience of a session. */
function audienceOf(unreadBytes: number, callbacks: { onEvent?: () => void } = {}): Audience {
  return new Audience<EventBody>(callbacks, { unreadBytes, keepsEarly: true });
}

describe('readers of an audience', () => {
  it('[S-4] the first reader of events receives them from the start, later readers from their call on', async () => {
    const audience = audienceOf(1_000_000);
    audience.event(event('a'));
    const first = audience.events({});
    const second = audience.events({});
    audience.event(event('b'));
    audience.end();
    expect(await rest(first)).toMatchObject([
      { seq: 0, line: 'a' },
      { seq: 1, line: 'b' },
    ]);
    expect(await rest(second)).toMatchObject([{ seq: 1, line: 'b' }]);
  });

  it('[S-4] a reader of messages receives them from its call on, with their turns', async () => {
    const audience = audienceOf(1_000_000);
    audience.message(message('before', 1));
    const reader = audience.messages({});
    audience.message(message('turn-1', 2));
    audience.message(message(null, 3));
    audience.end();
    expect(await rest(reader)).toEqual([message('turn-1', 2), message(null, 3)]);
  });

  it('[S-4] the size of an event includes its data', async () => {
    const audience = audienceOf(10_000);
    const reader = audience.events({});
    for (let i = 0; i < 4; i++) audience.event(event('x'.repeat(4_000)));
    audience.end();
    expect(await rest(reader)).toMatchObject([{ kind: 'gap', type: 'gap', dropped: 2 }, { seq: 2 }, { seq: 3 }]);
  });

  it('[S-4] the size of an event is the one that its reporter states', async () => {
    const audience = audienceOf(10_000);
    const reader = audience.events({});
    for (let i = 0; i < 4; i++) audience.event(event(), 4_000);
    audience.end();
    expect(await rest(reader)).toMatchObject([{ kind: 'gap', dropped: 2 }, { seq: 2 }, { seq: 3 }]);
  });

  it('[S-4] a reader added after the end ends at once; the first one still receives the events', async () => {
    const audience = audienceOf(1_000);
    audience.event(event());
    audience.end();
    expect(await rest(audience.messages({}))).toEqual([]);
    expect(await rest(audience.events({}))).toMatchObject([{ seq: 0 }]);
    expect(await rest(audience.events({}))).toEqual([]);
  });
});

describe('an audience without listeners', () => {
  it('[P-10] skips events, whose numbers are still used', async () => {
    const audience = new Audience<EventBody>({}, { unreadBytes: 1_000 });
    const body = event();
    expect([audience.skip(), audience.skip()]).toEqual([true, true]);
    audience.event(body);
    const reader = audience.events({});
    expect(audience.skip()).toBe(false);
    audience.event(event('heard'));
    audience.end();
    expect(await rest(reader)).toMatchObject([{ seq: 3, line: 'heard' }]);
  });

  it('[P-10] skips events again once its last reader has stopped', async () => {
    const audience = audienceOf(1_000);
    expect(audience.skip()).toBe(false);
    await audience.events({}).return?.();
    expect(audience.skip()).toBe(true);
  });

  it('[S-16] does not skip while an observer, a follower or a callback receives events', () => {
    const audience = new Audience<EventBody>({}, { unreadBytes: 1_000 });
    const remove = audience.add({ event: () => {} });
    expect(audience.skip()).toBe(false);
    remove();
    expect(audience.skip()).toBe(true);
    audience.follow({ event: () => {} });
    expect(audience.skip()).toBe(false);
    expect(audienceOf(1_000, { onEvent: () => {} }).skip()).toBe(false);
  });
});

describe('a part of the SDK that follows a run', () => {
  it('[S-16] receives the event body itself, before all other readers, which receive copies', () => {
    const received: unknown[] = [];
    const body = event('a');
    const audience = new Audience<EventBody>({ onEvent: (seen) => received.push(seen) }, { unreadBytes: 1_000 });
    audience.add({ event: (seen) => received.push(seen) });
    audience.follow({ event: (seen) => received.push(seen) });
    audience.event(body);
    expect(received[0]).toBe(body);
    expect(received.slice(1)).toMatchObject([
      { seq: 0, line: 'a' },
      { seq: 0, line: 'a' },
    ]);
    expect(received[1]).not.toBe(received[2]);
  });
});
