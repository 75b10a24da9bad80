import { describe, expect, it } from 'vitest';
import { Hub } from '../../src/conversations/hub.ts';
import { eventStream } from '../../src/server/event-stream.ts';

const SOURCE = { id: 'test', kind: 'process', label: 'test' } as const;

describe('a browser that does not read', () => {
  it('[I-3] has no queue: it gets a snapshot instead of the changes it missed', async () => {
    const hub = new Hub([], { redact: (text) => text, readOnly: false, onAudit: undefined });
    const record = hub.add(SOURCE, 'p-1', {});
    const signal = new AbortController();
    const stream = eventStream(hub, {
      watch: 'p-1',
      cursor: hub.journal.cursorAt(0),
      signal: signal.signal,
    }).getReader();
    for (let n = 0; n < 100_000; n += 1) record.note('note', `line ${n}`, { at: n, turn: null });
    const decoder = new TextDecoder();
    let text = '';
    while (!text.includes('"snapshot"')) {
      const { value, done } = await stream.read();
      if (done) break;
      text += decoder.decode(value);
    }
    expect(text.length).toBeLessThan(2_000_000);
    expect(text).toContain('"snapshot"');
    await stream.cancel();
    signal.abort();
    expect(hub.hasReaders).toBe(false);
    await hub.close();
  });
});
