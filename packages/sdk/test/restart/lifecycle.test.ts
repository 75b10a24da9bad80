import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { MINIMUM_VERSION } from '../../src/cli/version.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, settle, silence, success } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';
import { AT_ONCE, all, flagOf, open, refusing, start, story } from './stage.ts';

const NEVER_RESTARTED = { delayMs: 2 ** 30, maxDelayMs: 2 ** 30 };

describe('options that cannot be combined with restart', () => {
  it('[A-2, O-4] are refused, and all of them are listed in one error', async () => {
    const session = openSession({
      transport: new FakeCli(),
      persistSession: false,
      restart: { maxRestarts: -1, windowMs: 0 },
    });
    const turn = session.send('one').text();
    const refusal = await session.ready.catch((error: unknown) => error);
    expect(refusal).toMatchObject({
      name: 'OptionsError',
      problems: [
        { path: 'restart.maxRestarts' },
        { path: 'restart.windowMs' },
        { path: 'persistSession' },
        { path: 'transport' },
      ],
    });
    await expect(turn).rejects.toBe(refusal);
    await expect(session.setModel('x')).rejects.toMatchObject({ cause: refusal });
    expect(session.state).toBe('failed');
    await session.closed;
  });

  it('[A-2, O-4] are reported with their path if a name in restart is misspelt', async () => {
    const restart = { maxRestart: 3 } as object;
    await expect(openSession({ transport: () => new FakeCli(), restart }).ready).rejects.toMatchObject({
      problems: [{ path: 'restart.maxRestart', message: expect.stringContaining('maxRestarts') }],
    });
  });

  it('[A-2, O-4] are listed together with options that are invalid in any session', async () => {
    await expect(openSession({ maxTurns: -1, restart: true }).ready).rejects.toMatchObject({ name: 'OptionsError' });
  });
});

describe('a restarting session that is not ready', () => {
  it('[A-2, S-15] accepts and queues turns and operations', async () => {
    const { session, clis } = open({ sessionId: '11111111-1111-4111-8111-111111111111' });
    expect(clis).toHaveLength(0);
    expect(session).toMatchObject({ id: '11111111-1111-4111-8111-111111111111', state: 'starting', restarts: 0 });
    expect(session).toMatchObject({ commands: [], models: [], agents: [], capabilities: { tools: [] } });
    expect(session.pid).toBeUndefined();
    expect(session.paused).toBeUndefined();
    expect(session.pendingPermissions()).toEqual([]);
    expect(session.health()).toMatchObject({ status: 'degraded' });
    await expect(session.answerPermission('p', allow())).rejects.toMatchObject({
      name: 'NoSuchPermissionError',
    });
    const seen = session.events();
    const turn = session.send('one');
    const model = session.setModel('sonnet');
    await session.ready;
    await model;
    const [cli = new FakeCli()] = clis;
    cli.reply(await cli.got('prompt one'));
    expect(await turn.text()).toBe('done');
    expect(cli.story).toEqual(['initialize', 'set_model', 'prompt one']);
    expect(await seen.next()).toMatchObject({ value: { seq: 0, type: 'started' } });
    expect(session.health()).toEqual({ status: 'healthy' });
  });

  it('[A-2] ends after a failed start, and the queue fails', async () => {
    const { session, clis, events } = open({}, AT_ONCE, () => refusing("error: unknown option '--x'"));
    const turn = session.send('one').text();
    const asked = session.setModel('x');
    const failure = { name: 'CliExitedDuringInitError', message: expect.stringContaining('unknown option') };
    await expect(session.ready).rejects.toMatchObject(failure);
    await expect(turn).rejects.toMatchObject(failure);
    await expect(asked).rejects.toMatchObject(failure);
    expect(clis).toHaveLength(1);
    expect(story(events)).toEqual(['started', '-> init-sent', 'exit', '-> failed', 'failed']);
    expect(await session.close()).toMatchObject({ exitCode: 1 });
  });

  it('[A-2] does not resume a missing conversation a second time', async () => {
    const { session, clis, warnings } = open(
      { resume: '11111111-1111-4111-8111-111111111111' },
      { ...AT_ONCE, firstStart: 'retry' },
      () => refusing('No conversation found with session ID: x'),
    );
    await expect(session.ready).rejects.toThrow('No conversation found');
    expect(clis).toHaveLength(1);
    expect(warnings).toEqual([]);
  });

  it('[A-2] retries a failed start if the policy allows it', async () => {
    const { session, cli, clis } = open({}, { ...AT_ONCE, firstStart: 'retry' }, (nth) =>
      nth < 3 ? refusing('out of memory') : new FakeCli(),
    );
    const { id } = session;
    const turn = session.send('one');
    await session.ready;
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt one'));
    await turn.text();
    for (const each of clis) expect(flagOf(each, '--session-id')).toBe(id);
  });

  it('[A-2, S-1] aborts the start with its signal', async () => {
    const controller = new AbortController();
    const { session } = open({ signal: controller.signal }, AT_ONCE, () => new FakeCli({ initialize: silence }));
    await settle();
    controller.abort(new Error('no more'));
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'no more' } });
    await session.closed;
    expect(session.state).toBe('failed');
    const { session: late, clis } = open({ signal: controller.signal });
    await expect(late.ready).rejects.toMatchObject({ name: 'AbortError' });
    expect(clis).toHaveLength(0);
  });

  it('[A-2] aborts the delay before a retry with its signal', async () => {
    const controller = new AbortController();
    const { session, events } = open({ signal: controller.signal }, { ...NEVER_RESTARTED, firstStart: 'retry' }, () =>
      refusing('busy'),
    );
    for await (const event of session.events()) if (event.type === 'restarting') break;
    controller.abort();
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError' });
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'abort' } });
  });
});

describe('the end of a restarting session', () => {
  it('[A-2] by too many crashes fails the queue with RestartLimitError', async () => {
    const { session, cli, events } = open({}, { delayMs: 0, maxRestarts: 2, windowMs: 60_000 });
    const seen = all(session.messages());
    await session.ready;
    for (const nth of [1, 2, 3]) {
      const dying = await cli(nth);
      const turn = session.send(`turn ${nth}`);
      dying.begin(await dying.got(`prompt turn ${nth}`));
      if (nth === 3)
        session
          .send('never sent')
          .text()
          .catch((error) => waiting.push(error));
      dying.die(nth);
      await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    }
    expect(await session.closed).toMatchObject({ exitCode: 3 });
    await settle();
    const limit = { name: 'RestartLimitError', restarts: 2, windowMs: 60_000, cause: { exitCode: 3 } };
    expect(waiting).toMatchObject([{ name: 'SessionStoppedError', cause: limit }]);
    expect(session.state).toBe('failed');
    expect(session.health()).toMatchObject({ status: 'unhealthy' });
    await expect(session.send('later').text()).rejects.toMatchObject({ cause: limit });
    await expect(session.setModel('x')).rejects.toMatchObject({ name: 'SessionStoppedError', cause: limit });
    expect(await session.interrupt()).toEqual({ stillQueued: [] });
    await session.idle();
    expect(story(events).slice(-4)).toEqual(['exit', 'gave-up', '-> failed', 'failed']);
    expect(events.at(-1)).toMatchObject({ error: { code: 'restart-limit', cause: { exitCode: 3 } } });
    expect((await seen).length).toBeGreaterThan(0);
  });
  const waiting: Error[] = [];

  it('[A-2] by the last crash fails a turn whose prompt could not be written, instead of waiting for another CLI', async () => {
    const { session, cli1, events } = await start({}, { delayMs: 0, maxRestarts: 0 });
    cli1.hasExited = true; // Writes fail, but this is not detected yet.
    const turn = session.send('one');
    await settle();
    cli1.die(null, 'SIGKILL');
    await expect(turn.result()).rejects.toMatchObject({ code: 'session-stopped', cause: { code: 'restart-limit' } });
    expect(turn.state).toBe('failed');
    expect(session.waitingTurns()).toEqual([]);
    expect(story(events).at(-1)).toBe('failed');
  });

  it('[A-2, S-4] is preceded by the end of a turn whose prompt was never read', async () => {
    let reject: (error: Error) => void = () => {};
    const write = FakeCli.prototype.write;
    const { session, cli1, events } = await start({}, { delayMs: 0, maxRestarts: 0 });
    cli1.write = async (text) => {
      await write.call(cli1, text);
      if (text.includes('"type":"user"')) await new Promise((_, fail) => (reject = fail));
    };
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    cli1.say(assistant('half of it'));
    await settle();
    reject(new Error('EPIPE'));
    await settle();
    cli1.die(null, 'SIGKILL');
    await expect(turn.result()).rejects.toMatchObject({ code: 'turn-interrupted', text: 'half of it' });
    await session.closed;
    expect(story(events).slice(-4)).toEqual(['turn-interrupted', 'gave-up', '-> failed', 'failed']);
  });

  it('[A-2] by close() during the delay before a restart is immediate, and nothing is started', async () => {
    const { session, cli1, clis, events } = await start({}, NEVER_RESTARTED);
    cli1.die(1);
    await settle();
    const turn = session.send('one').text();
    const asked = session.mcpStatus();
    for await (const event of session.events()) if (event.type === 'restarting') break;
    expect(session.state).toBe('restarting');
    expect(session.pid).toBeUndefined();
    expect(session.health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining('started again') });
    expect(await session.close()).toMatchObject({ exitCode: 1 });
    await expect(turn).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await expect(asked).rejects.toMatchObject({ name: 'SessionStoppedError' });
    expect(session.state).toBe('stopped');
    expect(clis).toHaveLength(1);
    expect(story(events).slice(-3)).toEqual(['-> stopping', '-> stopped', 'stopped']);
    expect(await session.close()).toMatchObject({ exitCode: 1 });
  });

  it('[A-2] by close() during the start of the next CLI ends that CLI', async () => {
    const { session, cli } = open({}, AT_ONCE, (nth) => new FakeCli(nth === 2 ? { initialize: silence } : {}));
    await session.ready;
    (await cli(1)).die(1);
    const cli2 = await cli(2);
    await cli2.got('initialize');
    await session.close();
    expect(session.state).toBe('stopped');
    expect(cli2.hasExited).toBe(true);
  });

  it('[A-2, S-9] by close() during turns works as in any session, even if the CLI dies', async () => {
    const { session, cli1, clis } = await start();
    cli1.answers.end_session = (cli) => cli.die(1);
    const running = session.send('one').text();
    const waiting = session.send('two').text();
    cli1.begin(await cli1.got('prompt one'));
    const stopped = session.close();
    await expect(running).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await expect(waiting).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await stopped;
    expect(session.state).toBe('stopped');
    expect(clis).toHaveLength(1);
  });

  it('[A-2, S-1] is caused by its signal', async () => {
    const controller = new AbortController();
    const { session, cli1 } = await start({ signal: controller.signal }, NEVER_RESTARTED);
    cli1.die(1);
    for await (const event of session.events()) if (event.type === 'restarting') break;
    controller.abort();
    await session.closed;
    expect(session.state).toBe('stopped');
  });

  it('[A-2] is caused by the exit of an idle CLI', async () => {
    const { session, cli1, events } = await start();
    cli1.die(0);
    expect(await session.closed).toMatchObject({ exitCode: 0 });
    expect(session.state).toBe('ended');
    expect(story(events).slice(-2)).toEqual(['-> ended', 'ended']);
  });

  it('[A-2] is not caused by the exit of an idle CLI if the policy restarts it or a turn waits', async () => {
    const restarting = await start({}, { ...AT_ONCE, idleExit: 'restart' });
    restarting.cli1.die(0);
    await (await restarting.cli(2)).got('initialize');
    expect(restarting.events.find(({ type }) => type === 'restarting')).toMatchObject({ cause: null });

    const { session, cli1, cli } = await start();
    cli1.die(0);
    const turn = session.send('one');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    expect(await turn.text()).toBe('done');
  });

  it('[A-2] is not caused by exit 0 during a turn, which counts as a crash', async () => {
    const { session, cli1, cli } = await start();
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    cli1.die(0);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError', cause: { exitCode: 0 } });
    await cli(2);
  });

  it('[A-2, S-7] is not caused by an aborted turn that does not end; the CLI is restarted', async () => {
    const { session, cli1, cli } = await start({ limits: { interruptTimeoutMs: 10 } });
    cli1.answers.interrupt = silence;
    const stuck = session.send('one', { timeoutMs: 1 });
    await expect(stuck.text()).rejects.toMatchObject({ name: 'TimeoutError' });
    const next = session.send('two');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    expect(await next.text()).toBe('done');
  });

  it('[A-2, R-7] is caused by await using', async () => {
    const cli = new FakeCli();
    {
      await using session = openSession({ transport: () => cli, restart: true });
      await session.ready;
    }
    expect(cli.hasExited).toBe(true);
  });
});

describe('clear() of a restarting session', () => {
  it('[A-2, C-5, S-6] is refused before its prompt is sent: an old CLI would answer it without clearing', async () => {
    const old = { commands: [], models: [], agents: [], claude_code_version: MINIMUM_VERSION };
    const { session, cli } = open({}, AT_ONCE, () => new FakeCli({ initialize: success(old) }));
    await session.ready;
    await expect(session.clear()).rejects.toMatchObject({ code: 'unsupported-request', kind: 'clear' });
    expect((await cli(1)).story).toEqual(['initialize']);
  });
});

describe('a fork of a restarting session', () => {
  it('[A-2, S-6] is a separate restarting session', async () => {
    const { session, cli1, cli } = await start({ model: 'opus', sessionId: '11111111-1111-4111-8111-111111111111' });
    await expect(session.fork()).rejects.toMatchObject({ name: 'SessionNotForkableError' });
    const turn = session.send('one');
    cli1.reply(await cli1.got('prompt one'));
    await turn.text();
    await using fork = await session.fork();
    const cli2 = await cli(2);
    expect(flagOf(cli2, '--resume')).toBe('session-1');
    expect(cli2.request?.argv).toContain('--fork-session');
    expect(flagOf(cli2, '--session-id')).toBe(fork.id);
    expect(flagOf(cli2, '--model')).toBe('opus');
    cli2.die(1);
    await (await cli(3)).got('initialize');
    expect(session.restarts).toBe(0);
  });
});
