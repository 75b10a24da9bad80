import { setTimeout as sleep } from 'node:timers/promises';
import { text } from '@coxswain/testkit';
import { textOf } from 'coxswain';
import { NoResultError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { isTestedNow } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';

const ANSWER = 'Zwölf Boxkämpfer jagen Viktor. '.repeat(100_000);

describe('an answer of 3 MB', () => {
  it('[W-1, Q-13] arrives complete, each time in one line, even for a reader that pauses', async () => {
    await using scene = await openScene([text(ANSWER)]);
    const stream = scene.query('say much');
    let spoken = '';
    for await (const message of stream) {
      if (message.type === 'system' && message.subtype === 'init') await sleep(1_500);
      if (message.type === 'assistant') spoken += textOf(message);
    }
    // Not `toBe(ANSWER)`: a failure would print it.
    expect(spoken === ANSWER).toBe(true);
    expect((await stream.text()) === ANSWER).toBe(true);
    expect(stream.warnings.map(({ code }) => code)).toEqual(['long-line', 'long-line']);
  });

  // 2.1.197 exits with 0 before a reader can read more than the pipe holds, so its last lines are often lost.
  it.each(['2.1.197'].filter(isTestedNow))('[Q-7] never counts as complete if %s cuts it off', async (version) => {
    await using scene = await openScene([text(ANSWER)], { version });
    const stream = scene.query('say much');
    const outcome = await stream.text().then(
      (answer) => answer === ANSWER,
      (error: unknown) => error,
    );
    const codes = stream.warnings.map(({ code }) => code);
    if (outcome === true) expect(codes.filter((code) => code !== 'long-line')).toEqual([]);
    else {
      expect(outcome).toBeInstanceOf(NoResultError);
      expect(codes).toContain('clean-exit-no-result');
    }
  });
});
