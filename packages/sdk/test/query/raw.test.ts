import { describe, expect, it } from 'vitest';
import { rawOf } from '../../src/wire/raw.ts';
import { inMemory } from '../support/memory-transport.ts';

/** Nothing that JSON.stringify would write: spaces, a number's form, an escape, a doubled key. */
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
  transport.leave();
  return stream;
}

describe('the exact source line', () => {
  it('[W-7] of messages from a loop', async () => {
    const raws: unknown[] = [];
    for await (const message of start()) raws.push(rawOf(message));
    expect(raws).toEqual([INIT, NEWS, RESULT]);
  });

  it('[W-7] of messages from items(), which carry it too', async () => {
    const raws: unknown[] = [];
    for await (const item of start().items()) if (item.kind === 'message') raws.push(rawOf(item.message), item.rawJson);
    expect(raws).toEqual([INIT, INIT, NEWS, NEWS, RESULT, RESULT]);
  });

  it('[W-7] of messages from collect()', async () => {
    expect((await start().collect()).messages.map(rawOf)).toEqual([INIT, NEWS, RESULT]);
    const { items } = await start().collect();
    expect(items.flatMap((item) => (item.kind === 'message' ? [item.rawJson] : []))).toEqual([INIT, NEWS, RESULT]);
  });

  it('[W-7] of result() and results', async () => {
    const stream = start();
    expect(rawOf(await stream.result())).toBe(RESULT);
    expect(stream.results.map(rawOf)).toEqual([RESULT]);
  });

  it('[W-7, Q-8] of a late message in its warning', async () => {
    const { warnings } = await start().collect();
    const late = warnings.find(({ code }) => code === 'unexpected-message-after-result');
    expect(late?.context.rawJson).toBe(LATE);
    expect(rawOf(late?.context.message as object)).toBe(LATE);
  });

  it('[W-7] of a last line without its LF', async () => {
    const { stream, transport } = inMemory();
    transport.print(`${RESULT}`);
    transport.leave();
    expect(rawOf(await stream.result())).toBe(RESULT);
  });

  it('[W-7] does not show in the message itself', async () => {
    const message = await start().result();
    expect(Object.keys(message)).toEqual(['type', 'subtype', 'is_error', 'result']);
    expect(JSON.stringify(message)).toBe(JSON.stringify(JSON.parse(String(RESULT))));
    expect(rawOf({ ...message })).toBeUndefined();
  });
});
