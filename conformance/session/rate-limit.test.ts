import { apiError } from '@coxswain/testkit';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { AS_SUBSCRIBER } from '../harness/subscriber.ts';
import { openStage } from './stage.ts';

describe.concurrent.each(testedVersions)('a usage limit on %s', (version) => {
  it('[A-3, M-3] every rejected turn has the reset time, although the CLI reports the limit once', async () => {
    const seconds = Math.round(Date.now() / 1_000) + 3_600;
    const headers = {
      'anthropic-ratelimit-unified-status': 'rejected',
      'anthropic-ratelimit-unified-reset': String(seconds),
      'anthropic-ratelimit-unified-representative-claim': 'five_hour',
    };
    await using stage = await openStage(() => apiError(429, { headers }), { version });
    const session = stage.open({ env: AS_SUBSCRIBER, maxRetries: 0 });
    const turns = [session.send('first prompt'), session.send('second prompt')];
    for (const turn of turns) {
      await expect(turn.text()).rejects.toMatchObject({
        ...{ name: 'ResultError', outcome: 'rate-limit', resetsAt: seconds * 1_000 },
        message: expect.stringMatching(/You've hit your .* limit · resets/),
      });
    }
    const events = await Promise.all(
      turns.map(async (turn) =>
        (await turn.collect()).messages.filter((message) => message.type === 'rate_limit_event'),
      ),
    );
    expect(events.map(({ length }) => length)).toEqual([1, 0]);
  });

  it('[A-3, M-3] with an API key neither the CLI nor the SDK reports a reset time', async () => {
    const headers = { 'x-should-retry': 'false', 'retry-after': '1800' };
    await using stage = await openStage(() => apiError(429, { headers }), { version });
    const turn = stage.open({ maxRetries: 0 }).send('a prompt');
    await expect(turn.text()).rejects.toMatchObject({ outcome: 'rate-limit', resetsAt: undefined });
  });
});
