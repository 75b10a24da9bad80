import { setTimeout as sleep } from 'node:timers/promises';
import { text } from '@coxswain/testkit';
import { textOf } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { waitUntil } from '../harness/wait-until.ts';
import { openStage } from './stage.ts';

const ANSWER = 'Zwölf Boxkämpfer jagen Viktor. '.repeat(50_000);

describe.concurrent.each(testedVersions)('an answer of 1.5 MB from %s', (version) => {
  it('[S-3, S-12] is complete without a reader, with a reader, and with one that pauses', async () => {
    await using stage = await openStage(() => text(ANSWER), { version });
    const session = await stage.start();
    // Not `toBe(ANSWER)`: a failure would print it.
    expect((await session.send('say much').text()) === ANSWER).toBe(true);

    const { messages: items } = await session.send('say much').collect();
    expect(
      items
        .filter((message) => message.type === 'assistant')
        .map(textOf)
        .join('') === ANSWER,
    ).toBe(true);

    let spoken = '';
    const turn = session.send('say much');
    for await (const message of turn) {
      if (message.type === 'system' && message.subtype === 'init') await sleep(700);
      if (message.type === 'assistant') spoken += textOf(message);
    }
    expect(spoken === ANSWER).toBe(true);
    expect((await turn.text()) === ANSWER).toBe(true);
  });

  it('[S-12] does not delay control requests while its reader has stopped', async () => {
    await using stage = await openStage(() => text(ANSWER, { chunkSize: 100_000 }), { version });
    const session = await stage.start({ includePartialMessages: true, limits: { bufferBytes: 256 * 1024 } });
    const turn = session.send('say much');
    const reader = turn[Symbol.asyncIterator]();
    for (
      let next = await reader.next();
      !(next.value && next.value.type === 'stream_event');
      next = await reader.next()
    );
    await waitUntil(() => stage.api.conversation[0]?.state === 'answered', { what: 'the whole answer' });

    const askedAt = performance.now();
    const usage = await session.contextUsage();
    expect(performance.now() - askedAt).toBeLessThan(15_000);
    expect(usage.totalTokens).toEqual(expect.any(Number));

    let spoken = '';
    for (let next = await reader.next(); !next.done; next = await reader.next()) {
      if (next.value.type === 'assistant') spoken += textOf(next.value);
      if (next.value.type === 'result') expect(textOf(next.value) === ANSWER).toBe(true);
    }
    expect(spoken === ANSWER).toBe(true);
  });
});
