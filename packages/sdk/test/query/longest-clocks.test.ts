import { describe, expect, it, vi } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { query } from '../../src/query/query.ts';
import { Timers } from '../../src/timing/timers.ts';
import { FakeCli, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory } from '../support/memory-transport.ts';
import { INIT, result } from '../support/say.ts';

fakeClock();

const LONGEST = 2 ** 31 - 1;
const RETRY = { type: 'system', subtype: 'api_retry', attempt: 1, retry_delay_ms: 30_000 };

describe('the longest idleTimeoutMs plus the delay of an api_retry', () => {
  it('[Q-12] does not end a query', async () => {
    const { stream, transport } = inMemory({ idleTimeoutMs: LONGEST });
    const text = stream.text();
    await stream.started;
    transport.say(INIT, RETRY);
    await pass(60_000);
    transport.say(result({ result: 'in time' }));
    transport.end();
    expect(await text).toBe('in time');
  });

  it('[Q-12, O-7] does not end a query with callbacks', async () => {
    const cli = new FakeCli();
    const stream = query('hi', { transport: cli, idleTimeoutMs: LONGEST, canUseTool: () => allow() });
    const text = stream.text();
    await answersAfterRetry(cli);
    expect(await text).toBe('in time');
    await stream.close();
  });

  it('[S-7, Q-12] does not end a turn', async () => {
    const { session, cli } = await start({ idleTimeoutMs: LONGEST });
    const text = session.send('hi').text();
    await answersAfterRetry(cli);
    expect(await text).toBe('in time');
    expect(cli.story).not.toContain('interrupt');
  });
});

it('[R-4] a timer with a longer delay than Node allows runs after the longest possible delay', async () => {
  const timers = new Timers<'a'>();
  const run = vi.fn();
  timers.set('a', LONGEST + 1, run);
  await pass(LONGEST - 1);
  expect(run).not.toHaveBeenCalled();
  await pass(1);
  expect(run).toHaveBeenCalledOnce();
});

/** Waits twice as long as the reported delay of the API retry, then answers. */
async function answersAfterRetry(cli: FakeCli): Promise<void> {
  const prompt = await cli.got('prompt hi');
  cli.begin(prompt);
  cli.say(RETRY);
  await pass(60_000);
  cli.finish(prompt, 'in time');
}
