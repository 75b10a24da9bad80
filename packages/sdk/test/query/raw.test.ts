import { describe, expect, it } from 'vitest';
import { inMemory } from '../support/memory-transport.ts';

/** Lines that JSON.stringify would write differently: spaces, a number format, an escape, a duplicate key. */
const LINES = [
  '{ "type" : "system", "subtype":"init", "n": 1.0 }',
  '{"type":"news","text":"\\u0061","text":"b"}',
  '{"type":"result","subtype":"success","is_error":false,"result":"\\u00e4"}',
  '{"type":"assistant",  "late":true}',
];
const [INIT, NEWS, RESULT, LATE] = LINES;

function start() {
  const { stream, transport } = inMemory();
  transport.print(LINES.map((line) => `${line}\r\n`).join(''));
  transport.end();
  return stream;
}

describe('the exact source line', () => {
  it('[W-7] is the rawJson of each message item', async () => {
    const raws: string[] = [];
    for await (const item of start().items()) if (item.kind === 'message') raws.push(item.rawJson);
    expect(raws).toEqual([INIT, NEWS, RESULT]);
  });

  it('[W-7] is kept by collect(), with items in the order of the messages', async () => {
    const { items, messages } = await start().collect();
    const collected = items.flatMap((item) => (item.kind === 'message' ? [item] : []));
    expect(collected.map(({ rawJson }) => rawJson)).toEqual([INIT, NEWS, RESULT]);
    expect(collected.map(({ message }) => message)).toEqual(messages);
  });

  it('[W-7, Q-8] of a late message is in the context of its warning', async () => {
    const { warnings } = await start().collect();
    const late = warnings.find(({ code }) => code === 'unexpected-message-after-result');
    expect(late?.context.rawJson).toBe(LATE);
  });

  it('[W-7] is kept for a last line without its LF', async () => {
    const { stream, transport } = inMemory();
    transport.print(`${RESULT}`);
    transport.end();
    expect((await stream.collect()).items).toMatchObject([{ kind: 'message', rawJson: RESULT }]);
  });

  it('[W-7] is not part of the message itself', async () => {
    const message = await start().result();
    expect(Object.keys(message)).toEqual(['type', 'subtype', 'is_error', 'result']);
    expect(JSON.stringify(message)).toBe(JSON.stringify(JSON.parse(String(RESULT))));
  });
});
