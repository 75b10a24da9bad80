import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { allow, decideLater } from '../../src/callbacks/decisions.ts';
import { FakeCli, pendingId, settle, silence } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';
import { AT_ONCE, all, open, start } from './stage.ts';

describe('a restarting session without a CLI', () => {
  it('[A-2] queues operations for the next CLI before the prompts; a lost answer causes an error', async () => {
    const { session, cli1, cli } = await start();
    cli1.answers.mcp_status = silence;
    const lost = session.mcpStatus();
    await cli1.got('mcp_status');
    cli1.die(1);
    await expect(lost).rejects.toMatchObject({ name: 'SessionStoppedError', cause: { name: 'ProcessError' } });
    const turn = session.send('one');
    const [model, mode] = [session.setModel('x'), session.setPermissionMode('plan')];
    const pushed = session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt raw'));
    cli2.reply(await cli2.got('prompt one'));
    await Promise.all([turn.text(), model, mode, pushed]);
    expect(cli2.story.slice(0, 3)).toEqual(['initialize', 'set_model', 'set_permission_mode']);
    expect(cli2.story).toContain('prompt raw');
  });

  it('[A-2, S-11] queues as many operations as before a session is ready', async () => {
    const { session, cli1 } = await start(
      { limits: { maxQueuedOperations: 1, maxWaitingTurns: 1 } },
      { delayMs: 2 ** 30, maxDelayMs: 2 ** 30 },
    );
    cli1.die(1);
    for await (const event of session.events()) if (event.type === 'restarting') break;
    session.mcpStatus().catch(() => {});
    await expect(session.mcpStatus()).rejects.toMatchObject({ name: 'InitQueueOverflowError' });
    session
      .send('one')
      .text()
      .catch(() => {});
    await expect(session.send('two').text()).rejects.toMatchObject({ name: 'TurnQueueFullError' });
  });

  it('[A-2] can interrupt, abort and refuse turns', async () => {
    const { session, cli1 } = await start({}, { delayMs: 2 ** 30, maxDelayMs: 2 ** 30 });
    cli1.die(1);
    for await (const event of session.events()) if (event.type === 'restarting') break;
    const controller = new AbortController();
    const [taken, aborted] = [session.send('one'), session.send('two', { signal: controller.signal })];
    const bad = session.send('', { maxTurns: 1 } as never);
    const idle = session.idle();
    await expect(taken.steer('more')).rejects.toMatchObject({ name: 'TurnEndedError' });
    expect(await taken.interrupt()).toEqual({ stillQueued: [] });
    controller.abort(new Error('enough'));
    await expect(taken.text()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    await expect(aborted.text()).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
    await expect(session.send('x', { signal: controller.signal }).text()).rejects.toMatchObject({ name: 'AbortError' });
    await expect(bad.text()).rejects.toMatchObject({ name: 'OptionsError' });
    await idle;
    expect(await session.interrupt()).toEqual({ stillQueued: [] });
    await session.idle();
  });

  it('[A-2] waits for queued turns in idle()', async () => {
    const { session, cli1, cli } = await start();
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    const second = session.send('two');
    let idle = false;
    const waiting = session.idle().then(() => {
      idle = true;
    });
    cli1.die(1);
    await expect(turn.text()).rejects.toThrow();
    const cli2 = await cli(2);
    const prompt = await cli2.got('prompt two');
    expect(idle).toBe(false);
    cli2.reply(prompt);
    await second.text();
    await waiting;
  });
});

describe('a turn of a restarting session', () => {
  it('[A-2, S-3] can be steered and interrupted as in any session', async () => {
    const { session, cli1 } = await start();
    const turn = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    await turn.steer('more');
    await cli1.got('prompt more');
    await turn.interrupt();
    await cli1.got('interrupt');
    const received = session.interrupt();
    await cli1.got('interrupt', 2);
    await received;
    cli1.die(1);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
  });

  it('[A-2, H-9] keeps the async context of its send() in another CLI', async () => {
    const user = new AsyncLocalStorage<string>();
    const seen: unknown[] = [];
    const hooks = { PreToolUse: () => void seen.push(user.getStore()) };
    const { session, cli1, cli } = await user.run('opener', () => start({ hooks }, { ...AT_ONCE, replay: () => true }));
    user.run(
      'alice',
      () =>
        void session
          .send('one')
          .text()
          .catch(() => {}),
    );
    cli1.begin(await cli1.got('prompt one'));
    cli1.askHook('h1');
    await cli1.answered('h1');
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.begin(await cli2.got('prompt one'));
    cli2.askHook('h2');
    await cli2.answered('h2');
    expect(seen).toEqual(['alice', 'alice']);
  });

  it('[A-2, S-12] delivers all output before the crash to a slow reader, and then the error', async () => {
    const { session, cli1, cli } = await start({ limits: { bufferBytes: 500 } });
    const turn = session.send('one');
    const reader = turn[Symbol.asyncIterator]();
    cli1.begin(await cli1.got('prompt one'));
    await reader.next();
    for (let nth = 0; nth < 5; nth++) cli1.say(assistant('x'.repeat(300)));
    await settle();
    cli1.die(1);
    await cli(2);
    const types: string[] = [];
    await expect(
      (async () => {
        for (let step = await reader.next(); !step.done; step = await reader.next()) types.push(step.value.type);
      })(),
    ).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    expect(types).toEqual(['system', ...Array(5).fill('assistant')]);
  });

  it('[A-2, S-12] is kept without a reader as in a plain session', async () => {
    const { session, cli1 } = await start({ limits: { bufferBytes: 500 } });
    const turn = session.send('one');
    const prompt = await cli1.got('prompt one');
    cli1.begin(prompt);
    for (let nth = 0; nth < 5; nth++) cli1.say(assistant('x'.repeat(300)));
    cli1.finish(prompt, 'the end');
    expect(await turn.text()).toBe('the end');
    const { terminalError } = await turn.collect();
    expect(terminalError).toMatchObject({ name: 'TurnNotKeptError' });
  });

  it('[A-2] continues after its reader has stopped', async () => {
    const { session, cli1, cli } = await start({}, { ...AT_ONCE, replay: 'unanswered' });
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    for await (const _ of turn) break;
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'), 'an answer');
    expect(await turn.text()).toBe('an answer');
  });
});

describe('observers of a restarting session', () => {
  it('[A-2, S-4] receive the messages of all CLIs, and gapless events', async () => {
    const { session, cli1, cli } = await start();
    const seen = (async () => {
      const texts: string[] = [];
      for await (const item of session.messages()) {
        if (item.kind === 'message' && item.message.type === 'result') texts.push(item.rawJson);
      }
      return texts;
    })();
    const events = all(session.events());
    const first = session.send('one');
    cli1.reply(await cli1.got('prompt one'), 'first answer');
    await first.text();
    cli1.die(1);
    const second = session.send('two');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'), 'second answer');
    await second.text();
    await session.close();
    expect((await seen).map((raw) => JSON.parse(raw).result)).toEqual(['first answer', 'second answer']);
    const received = await events;
    expect(received.map((event) => 'seq' in event && event.seq)).toEqual(received.map((_, index) => index));
    expect(received.at(-1)?.type).toBe('stopped');
  });

  it('[A-2, P-7, X-6] receive the permission requests of the current CLI: a late answer to the dead CLI does not allow a request of the next with the same id', async () => {
    const { session, cli } = open({ canUseTool: () => decideLater() });
    await session.ready;
    const cli1 = await cli(1);
    cli1.askPermission('p1');
    await settle();
    const first = pendingId(session, 'p1');
    cli1.die(1);
    const cli2 = await cli(2);
    await cli2.got('initialize');
    await session.mcpStatus();
    expect(session.pendingPermissions()).toEqual([]);
    // Another command, with the id of the first CLI's request.
    cli2.askPermission('p1', 'Bash', { command: 'rm -rf /srv' });
    await settle();
    await expect(session.answerPermission(first, allow())).rejects.toMatchObject({ code: 'no-such-permission' });
    expect(cli2.story).not.toContain('answer p1');
    await session.answerPermission(pendingId(session, 'p1'), allow());
    expect(await cli2.answered('p1')).toMatchObject({ behavior: 'allow' });
  });

  it('[A-2, E-6] have no effect if they throw', async () => {
    const onEvent = (): never => {
      throw new Error('mine');
    };
    const { session, cli } = open({ onEvent }, AT_ONCE, () => new FakeCli());
    await session.ready;
    (await cli(1)).die(1);
    const turn = session.send('one');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'));
    expect(await turn.text()).toBe('done');
  });
});
