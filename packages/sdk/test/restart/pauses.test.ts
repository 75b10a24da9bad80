import { describe, expect, it } from 'vitest';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, settle } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory } from '../support/memory-transport.ts';
import { INIT, result } from '../support/say.ts';
import { AT_ONCE, open, start } from './stage.ts';

fakeClock();

const retry = { type: 'system', subtype: 'api_retry', attempt: 2, max_retries: 10, retry_delay_ms: 590.5 };
const overloaded = { ...retry, error_status: 529, error: 'overloaded', session_id: 'session-1' };
const refused = { is_error: true, api_error_status: 429, result: 'API Error: Request rejected (429)' };
const limited = (afterMs: number): object => ({
  type: 'rate_limit_event',
  rate_limit_info: { status: 'rejected', resetsAt: (Date.now() + afterMs) / 1_000, rateLimitType: 'five_hour' },
  session_id: 'session-1',
});

describe('a rate limit in a restarting session', () => {
  it('[A-3] delays new turns until it ends; session.paused and events contain the reason and the end', async () => {
    const { session, cli1, events } = await start();
    const first = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    cli1.say(limited(60_000));
    const until = Date.now() + 60_000;
    cli1.finish(prompt, '', refused);
    await expect(first.text()).rejects.toMatchObject({ name: 'ResultError', outcome: 'rate-limit', resetsAt: until });
    const second = session.send('two');
    await settle();
    expect(cli1.story).not.toContain('prompt two');
    expect(session.paused).toEqual({ reason: 'rate-limit', until, limit: 'five_hour' });
    expect(session.health()).toEqual({
      status: 'degraded',
      reason: `new turns wait until ${new Date(until).toISOString()} (rate-limit)`,
    });
    await pass(59_999);
    expect(cli1.story).not.toContain('prompt two');
    await pass(1);
    expect(session.paused).toBeUndefined();
    cli1.reply(await cli1.got('prompt two'));
    expect(await second.text()).toBe('done');
    expect(events.filter(({ type }) => type === 'paused' || type === 'resumed')).toMatchObject([
      { type: 'paused', reason: 'rate-limit', until, limit: 'five_hour' },
      { type: 'resumed' },
    ]);
  });

  it('[A-3] pauses no longer than the policy allows; an answer ends the pause', async () => {
    const { session, cli1 } = await start({}, { rateLimit: { maxPauseMs: 1_000 } });
    const first = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    cli1.say(limited(86_400_000));
    cli1.finish(prompt, '', refused);
    await first.result();
    const [second, third] = [session.send('two'), session.send('three')];
    await pass(1_000);
    const probe = await cli1.got('prompt two');
    cli1.begin(probe);
    cli1.say(limited(86_400_000));
    await settle();
    expect(session.paused).toMatchObject({ until: Date.now() + 1_000 });
    cli1.finish(probe, 'it works again');
    expect(await second.text()).toBe('it works again');
    cli1.reply(await cli1.got('prompt three'));
    await third.text();
    expect(session.paused).toBeUndefined();
  });

  it('[A-3] does not affect interrupts, aborts, operations and close()', async () => {
    const { session, cli1 } = await start();
    cli1.say(limited(60_000));
    await settle();
    const controller = new AbortController();
    const [one, two, three] = [
      session.send('one'),
      session.send('two', { signal: controller.signal }),
      session.send('three'),
    ];
    await one.interrupt();
    await expect(one.text()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    controller.abort();
    await expect(two.text()).rejects.toMatchObject({ name: 'AbortError' });
    await session.setModel('x');
    await session.interrupt();
    expect(cli1.story).toEqual(['initialize', 'set_model', 'interrupt']);
    const stopped = session.close();
    await pass(0);
    await stopped;
    await expect(three.text()).rejects.toMatchObject({ name: 'SessionStoppedError' });
    expect(session.paused).toBeUndefined();
  });

  it('[A-3] stays in effect across a restart', async () => {
    const { session, cli1, cli } = await start();
    cli1.say(limited(60_000));
    await settle();
    cli1.die(1);
    const turn = session.send('one');
    await pass(0);
    const cli2 = await cli(2);
    await pass(59_000);
    expect(cli2.story).toEqual(['initialize']);
    await pass(1_000);
    cli2.reply(await cli2.got('prompt one'));
    await turn.text();
  });

  it('[A-3] can be ignored', async () => {
    const { session, cli1 } = await start({}, { ...AT_ONCE, rateLimit: false });
    cli1.say(limited(60_000));
    await settle();
    const turn = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await turn.text();
    expect(session.paused).toBeUndefined();
  });
});

describe('an API overload in a restarting session', () => {
  it('[A-3] causes a pause of the reported length if the CLI retries', async () => {
    const { session, cli1, events } = await start();
    const first = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    cli1.say(overloaded);
    await settle();
    expect(session.paused).toMatchObject({ reason: 'overloaded', limit: null });
    cli1.finish(prompt);
    await first.text();
    expect(session.paused).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['paused', 'resumed']));
  });

  it('[A-3] causes longer and longer pauses if it continues', async () => {
    const { session, cli1 } = await start({}, { rateLimit: { delayMs: 1_000, maxDelayMs: 60_000, jitter: 0 } });
    for (const [nth, ms] of [1_000, 2_000, 4_000].entries()) {
      const turn = session.send(`turn ${nth}`);
      cli1.finish(await cli1.got(`prompt turn ${nth}`), '', { ...refused, api_error_status: 529 });
      await turn.result();
      expect(session.paused).toMatchObject({ reason: 'overloaded', until: Date.now() + ms });
      await pass(ms);
    }
  });
});

describe('an API request that the CLI retries', () => {
  const warned = {
    code: 'api-retry',
    message: expect.stringContaining('529 overloaded'),
    context: { attempt: 2, maxRetries: 10, delayMs: 590.5, status: 529, error: 'overloaded' },
  };

  it('[A-3, E-3] causes a warning in sessions', async () => {
    const { session, cli, warnings } = open();
    const turn = session.send('one');
    const items = turn.collect();
    await session.ready;
    const cli1 = await cli(1);
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    cli1.say(overloaded);
    cli1.finish(prompt);
    await turn.text();
    expect(warnings).toMatchObject([warned]);
    expect((await items).warnings).toMatchObject([warned]);

    const plain = new FakeCli();
    const codes: string[] = [];
    await using other = openSession({ transport: plain, onWarning: ({ code }) => void codes.push(code) });
    await other.ready;
    plain.say(overloaded);
    await settle();
    expect(codes).toEqual(['api-retry']);
  });

  it('[A-3, E-3] causes a warning in queries', async () => {
    const { stream, transport, warnings } = inMemory();
    transport.say(INIT, { ...retry, error_status: null, error: 'unknown' }, { ...retry, error: 3 }, result());
    transport.end();
    expect((await stream.collect()).warnings).toMatchObject([
      { code: 'api-retry', context: { status: null, error: 'unknown' } },
      { code: 'api-retry', context: { status: null, error: 'unknown' } },
    ]);
    expect(warnings).toHaveLength(2);
  });
});
