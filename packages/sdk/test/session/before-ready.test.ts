import { describe, expect, it } from 'vitest';
import { FakeCli, open, settle, silence } from '../support/fake-cli.ts';

const waiting = (): FakeCli => new FakeCli({ initialize: silence });

describe('a session that is not ready', () => {
  it('[S-15, X-3] queues operations and sends them in order without waiting for each other', async () => {
    const cli = waiting();
    cli.answers.set_model = silence;
    const { session } = open(cli);
    const model = session.setModel('opus');
    const mode = session.setPermissionMode('plan');
    const usage = session.contextUsage();
    await cli.got('initialize');
    await settle();
    expect(cli.story).toEqual(['initialize']);
    cli.succeed('req_1');
    await Promise.all([mode, usage]);
    expect(cli.story).toEqual(['initialize', 'set_model', 'set_permission_mode', 'get_context_usage']);
    cli.succeed('req_2');
    await model;
  });

  it('[S-15] queues a turn and sends it after earlier operations', async () => {
    const cli = waiting();
    const { session } = open(cli);
    const model = session.setModel('opus');
    const turn = session.send('hi');
    await cli.got('initialize');
    await settle();
    expect(cli.story).toEqual(['initialize']);
    cli.succeed('req_1');
    cli.reply(await cli.got('prompt hi'), 'hello');
    expect(await turn.text()).toBe('hello');
    await model;
    expect(cli.story).toEqual(['initialize', 'set_model', 'prompt hi']);
  });

  it('[S-15] queues a raw frame', async () => {
    const cli = waiting();
    const { session } = open(cli);
    const pushed = session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    await cli.got('initialize');
    cli.succeed('req_1');
    await pushed;
    expect(cli.story).toEqual(['initialize', 'prompt raw']);
  });

  it('[S-11, S-15] queues sixteen operations and refuses the seventeenth', async () => {
    const cli = waiting();
    const { session } = open(cli);
    const queued = Array.from({ length: 16 }, () => session.stopTask('t'));
    await expect(session.stopTask('one too many')).rejects.toMatchObject({ name: 'InitQueueOverflowError', limit: 16 });
    await cli.got('initialize');
    cli.succeed('req_1');
    await Promise.all(queued);
    expect(cli.story.filter((words) => words === 'stop_task')).toHaveLength(16);
    await session.stopTask('there is room again');
  });

  it('[S-15] fails everything in the queue with the start error itself', async () => {
    const cli = waiting();
    const { session } = open(cli);
    const failures = [
      session.setModel('opus'),
      session.send('a').result(),
      session.send('b').text(),
      session.interrupt(),
    ];
    const pushed = session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    const settled = Promise.allSettled([...failures, pushed]);
    await cli.got('initialize');
    cli.die(3);
    const error = await session.ready.catch((reason: Error) => reason);
    expect(error).toMatchObject({ name: 'CliExitedDuringInitError', exitCode: 3 });
    for (const one of await settled) expect(one).toEqual({ status: 'rejected', reason: error });
    expect(cli.story).toEqual(['initialize']);
  });

  it('[S-3, S-15] can interrupt a queued turn', async () => {
    const cli = waiting();
    const { session } = open(cli);
    const first = session.send('first');
    const second = session.send('second');
    expect(await first.interrupt()).toEqual({ stillQueued: [] });
    await expect(first.result()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    await cli.got('initialize');
    cli.succeed('req_1');
    cli.reply(await cli.got('prompt second'));
    await second.result();
    expect(cli.story).toEqual(['initialize', 'prompt second']);
  });

  it('[S-9, S-15] can be closed: the queue fails, the CLI is asked to exit, and there is one terminal event', async () => {
    const cli = waiting();
    const { session, events } = open(cli);
    const turn = session.send('never');
    const operation = session.setModel('never');
    const stopped = expect(operation).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await cli.got('initialize');
    const report = await session.close();
    expect(report).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    await expect(session.ready).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await expect(turn.result()).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await stopped;
    expect(cli.story).toEqual(['initialize', 'end_session']);
    expect(session.state).toBe('stopped');
    expect(events.filter(({ type }) => ['stopped', 'ended', 'failed'].includes(type))).toHaveLength(1);
    expect(events.at(-1)?.type).toBe('stopped');
  });

  it('[S-9, S-15] can be closed before the process was started', async () => {
    const { session, cli, events } = open(new FakeCli());
    expect(await session.close()).toEqual({ exitCode: null, signal: null, ended: 'by-itself' });
    expect(session.state).toBe('stopped');
    await expect(session.ready).rejects.toMatchObject({ name: 'SessionStoppedError' });
    expect(cli.request).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual(['state-changed', 'state-changed', 'stopped']);
  });
});
