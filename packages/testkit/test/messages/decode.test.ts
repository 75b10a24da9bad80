import { isUnknownMessage, query } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { inMemoryCli } from '../../src/scripted/in-memory.ts';
import { script } from '../../src/scripted/script.ts';
import { everyMessage } from './every-factory.ts';

describe('the messages of the factories', () => {
  it('[K-4] pass through the SDK unchanged, without a warning', async () => {
    const notResults = everyMessage.filter(({ type }) => type !== 'result');
    const agent = script().otherwise((turn) =>
      notResults.reduce((played, message) => played.line(JSON.stringify(message)), turn).say('Done.'),
    );
    const { items, warnings, errors, terminalError } = await query('x', {
      transport: inMemoryCli(agent).transport,
      includePartialMessages: true,
    }).collect();
    // Every message about a retry causes a warning; no other message does.
    const unexpected = warnings.filter(({ code }) => code !== 'api-retry');
    expect([unexpected, errors, terminalError]).toEqual([[], [], undefined]);
    const byLine = new Map(
      items.flatMap((item) => (item.kind === 'message' ? [[item.rawJson, item.message] as const] : [])),
    );
    expect(notResults.map((message) => byLine.get(JSON.stringify(message)))).toEqual(notResults);
  });

  it('[K-4] are of known kinds', () => {
    expect(everyMessage.filter(isUnknownMessage)).toEqual([]);
  });

  it('[K-4] are not changed by JSON', () => {
    expect(JSON.parse(JSON.stringify(everyMessage))).toEqual(everyMessage);
  });
});
