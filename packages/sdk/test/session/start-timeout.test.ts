import { describe, expect, it } from 'vitest';
import { FakeCli, open, silence } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

it('[S-1] a transport that never starts fails after limits.startTimeoutMs', async () => {
  const cli = new FakeCli();
  cli.start = () => new Promise(() => {});
  const { session } = open(cli, { limits: { startTimeoutMs: 3_000 } });
  const failed = expect(session.ready).rejects.toMatchObject({ code: 'initialization-timeout', ms: 3_000 });
  await pass(3_000);
  await pass(10_000);
  await failed;
  expect(session.state).toBe('failed');
});

describe('a handshake without an answer', () => {
  it('[S-1] fails after limits.startTimeoutMs with the output of the CLI, and the process is ended', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session, events } = open(cli, { limits: { startTimeoutMs: 3_000 } });
    const failed = expect(session.ready).rejects.toMatchObject({
      name: 'InitializationTimeoutError',
      ms: 3_000,
      stderrTail: 'waiting for a hook\n',
      message: expect.stringContaining('It printed: waiting for a hook'),
    });
    await cli.got('initialize');
    cli.errorOutput.push(Buffer.from('waiting for a hook\n'));
    await pass(2_999);
    expect(session.state).toBe('init-sent');
    await pass(1);
    await pass(10);
    await failed;
    expect(cli.hasExited).toBe(true);
    expect(session.state).toBe('failed');
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'initialization-timeout' } });
  });

  it('[S-1, S-2] has a timeout that any output of the CLI extends, including a request', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { limits: { startTimeoutMs: 3_000 }, hooks: { SessionStart: () => ({}) } });
    await cli.got('initialize');
    await pass(2_900);
    cli.say({ type: 'keep_alive' });
    await pass(2_900);
    cli.askHook('h1', 'SessionStart');
    await pass(2_900);
    cli.say({ type: 'system', subtype: 'hook_started' });
    await pass(2_900);
    expect(session.state).toBe('init-sent');
    cli.succeed('req_1');
    await session.ready;
  });

  it('[S-1] fails after limits.startTotalMs despite endless output of the CLI, and the process is ended', async () => {
    const cli = new FakeCli({ initialize: silence });
    const { session } = open(cli, { limits: { startTimeoutMs: 3_000, startTotalMs: 20_000 } });
    const failed = expect(session.ready).rejects.toMatchObject({
      name: 'InitializationTimeoutError',
      ms: 20_000,
      message: expect.stringContaining('within 20000 ms (limits.startTotalMs)'),
    });
    await cli.got('initialize');
    for (let second = 0; second < 20; second++) {
      expect(session.state).toBe('init-sent');
      cli.say({ type: 'system', subtype: 'hook_started' });
      await pass(1_000);
    }
    await pass(10);
    await failed;
    expect(cli.hasExited).toBe(true);
    expect(session.state).toBe('failed');
  });
});
