import { describe, expect, it, vi } from 'vitest';
import { stopTurn } from '../../src/callbacks/decisions.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { FakeCli, refusal, settle, silence, start, success } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

const ABORTED = { subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_streaming', errors: [] };

describe('an interrupt', () => {
  it('[S-3, X-1] of the running turn is visible in its result, and the next turn runs', async () => {
    const cli = new FakeCli({ interrupt: success({ still_queued: ['x'] }) });
    const { session } = await start({}, cli);
    const turn = session.send('long');
    const next = session.send('next');
    const prompt = await cli.got('prompt long');
    cli.begin(prompt);
    cli.say(assistant('well'));
    expect(await turn.interrupt()).toEqual({ stillQueued: ['x'] });
    cli.say(result({ ...ABORTED, user_message_uuids: [turn.id] }));
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
    cli.reply(await cli.got('prompt next'), 'here');
    expect(await next.text()).toBe('here');
    expect(cli.story).toEqual(['initialize', 'prompt long', 'interrupt', 'prompt next']);
  });

  it('[S-3] with session.interrupt() affects the running turn', async () => {
    const { session, cli } = await start();
    const turn = session.send('long');
    await cli.got('prompt long');
    expect(await session.interrupt()).toEqual({ stillQueued: [] });
    cli.say(result(ABORTED));
    expect(await turn.result()).toMatchObject({ is_error: true });
  });

  it('[S-3] of a waiting turn removes it from the queue; the others keep their order', async () => {
    const { session, cli } = await start();
    const first = session.send('first');
    const second = session.send('second');
    const third = session.send('third');
    expect(await second.interrupt()).toEqual({ stillQueued: [] });
    await expect(second.result()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    cli.reply(await cli.got('prompt first'));
    cli.reply(await cli.got('prompt third'));
    await Promise.all([first.result(), third.result()]);
    expect(cli.story).toEqual(['initialize', 'prompt first', 'prompt third']);
  });

  it('[S-3] of a turn whose prompt is about to be written prevents the write', async () => {
    const { session, cli } = await start();
    const turn = session.send('hasty');
    expect(await turn.interrupt()).toEqual({ stillQueued: [] });
    await expect(turn.result()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    const next = session.send('next');
    cli.reply(await cli.got('prompt next'));
    await next.result();
    expect(cli.story).toEqual(['initialize', 'prompt next']);
  });

  it('[S-3] that the CLI answers before it starts the prompt is repeated when the run starts', async () => {
    const cli = new FakeCli({
      initialize: success({ commands: [], models: [], agents: [], claude_code_version: PINNED_VERSION }),
      interrupt: success({ still_queued: [] }),
    });
    const { session } = await start({}, cli);
    const turn = session.send('long');
    const prompt = await cli.got('prompt long');
    await turn.interrupt();
    cli.begin(prompt);
    await vi.waitFor(() => expect(cli.story).toEqual(['initialize', 'prompt long', 'interrupt', 'interrupt']));
    cli.say(result({ ...ABORTED, user_message_uuids: [turn.id] }));
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
  });

  it('[S-3] of an ended turn has no effect', async () => {
    const { session, cli } = await start();
    const turn = session.send('quick');
    cli.reply(await cli.got('prompt quick'));
    await turn.result();
    expect(await turn.interrupt()).toEqual({ stillQueued: [] });
    expect(cli.story).toEqual(['initialize', 'prompt quick']);
  });

  it('[S-3] delays prompts until it is answered', async () => {
    const cli = new FakeCli({ interrupt: silence });
    const { session } = await start({}, cli);
    const turn = session.send('long');
    const next = session.send('next');
    const prompt = await cli.got('prompt long');
    cli.begin(prompt);
    const interrupted = turn.interrupt();
    // The result may arrive before the answer.
    cli.say(result({ ...ABORTED, user_message_uuids: [turn.id] }));
    await turn.result();
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt long', 'interrupt']);
    cli.succeed('req_2');
    await interrupted;
    cli.reply(await cli.got('prompt next'));
    await next.result();
  });

  it('[S-3] with session.interrupt() delays prompts until it is answered, even one that was about to be written', async () => {
    const cli = new FakeCli({ interrupt: silence });
    const { session } = await start({}, cli);
    const turn = session.send('hello');
    const interrupted = session.interrupt();
    await settle();
    expect(cli.story).toEqual(['initialize', 'interrupt']);
    cli.refuse('req_2', 'nothing to interrupt');
    await expect(interrupted).rejects.toMatchObject({ name: 'ControlRequestError', kind: 'interrupt' });
    cli.reply(await cli.got('prompt hello'));
    await turn.result();
  });

  it('[X-1, X-2, S-7] fails the running turn and the session if it is not answered in time', async () => {
    const { session, cli } = await start({ limits: { interruptTimeoutMs: 20 } }, new FakeCli({ interrupt: silence }));
    const turn = session.send('long');
    const next = session.send('next');
    await cli.got('prompt long');
    await expect(session.interrupt()).rejects.toMatchObject({
      name: 'ControlTimeoutError',
      kind: 'interrupt',
      requestId: 'req_2',
    });
    await expect(turn.result()).rejects.toMatchObject({
      name: 'TurnStuckError',
      cause: { name: 'ControlTimeoutError' },
    });
    await expect(next.result()).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await session.closed;
    expect(session.state).toBe('failed');
  });

  it('[X-1, X-2] only rejects if it is not answered while no turn runs', async () => {
    const cli = new FakeCli({ interrupt: silence });
    const { session } = await start({ limits: { interruptTimeoutMs: 20 } }, cli);
    await expect(session.interrupt()).rejects.toMatchObject({ name: 'ControlTimeoutError' });
    const turn = session.send('next');
    cli.reply(await cli.got('prompt next'), 'all the same');
    expect(await turn.text()).toBe('all the same');
  });

  it('[S-3] received by a run of the CLI also interrupts the waiting turn when it starts', async () => {
    const { session, cli } = await start();
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    await settle();
    const turn = session.send('long');
    const prompt = await cli.got('prompt long');
    cli.say(INIT);
    await settle();
    await turn.interrupt();
    cli.say(result({ ...ABORTED, origin: { kind: 'task-notification' } }));
    cli.begin(prompt);
    await cli.got('interrupt', 2);
    cli.say(result({ ...ABORTED, user_message_uuids: [turn.id] }));
    expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
    expect(turn.results).toHaveLength(1);
  });

  it.each([
    ['a release that reports queued prompts', PINNED_VERSION, true],
    ['one that does not', '2.1.197', true],
    ['a run of its own whose start the CLI has reported', PINNED_VERSION, false],
  ])(
    '[S-3] is repeated if the start of the turn arrives together with the answer: %s',
    async (_, version, unreported) => {
      let id = '';
      const initialize = success({ commands: [], models: [], agents: [], claude_code_version: version });
      const later = success();
      const cli = new FakeCli({
        initialize,
        interrupt: (fake, request, payload) => {
          if (id !== '') return later(fake, request, payload);
          id = request;
        },
      });
      const { session } = await start({}, cli);
      cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
      await settle();
      const turn = session.send('long');
      const { uuid, message } = await cli.got('prompt long');
      if (!unreported) {
        cli.say(INIT);
        await settle();
      }
      const interrupted = turn.interrupt();
      await cli.got('interrupt');
      // The CLI had begun a run of its own when it read the interrupt.
      cli.say(
        ...(unreported ? [INIT] : []),
        {
          type: 'control_response',
          response: { subtype: 'success', request_id: id, response: { still_queued: [uuid] } },
        },
        result({ ...ABORTED, origin: { kind: 'task-notification' } }),
        { ...INIT, user_message_uuids: [uuid] },
        { type: 'user', message, uuid, isReplay: true },
      );
      await interrupted;
      await cli.got('interrupt', 2);
      cli.say(result({ ...ABORTED, user_message_uuids: [turn.id] }));
      expect(await turn.result()).toMatchObject({ terminal_reason: 'aborted_streaming' });
      expect(cli.story.filter((entry) => entry === 'interrupt')).toHaveLength(2);
    },
  );

  it('[S-3, X-2] rejects with ControlRequestError if the CLI refuses it', async () => {
    const { session } = await start({}, new FakeCli({ interrupt: refusal('no') }));
    await expect(session.interrupt()).rejects.toMatchObject({ name: 'ControlRequestError' });
  });
});

describe('an interrupt while a UserPromptSubmit hook is pending', () => {
  const asks = { type: 'control_request', request_id: 'r1' };
  const input = { hook_event_name: 'UserPromptSubmit', prompt: 'long' };
  const request = { ...asks, request: { subtype: 'hook_callback', callback_id: 'hook_0', input } };

  const release = (version: string): FakeCli =>
    new FakeCli({ initialize: success({ commands: [], models: [], agents: [], claude_code_version: version }) });

  it('[S-3, H-8] refuses the prompt instead on releases that would exit', async () => {
    const cli = release('2.1.290');
    const hook = vi.fn((_: unknown, __: { signal: AbortSignal }) => new Promise<never>(() => {}));
    const { session } = await start({ hooks: { UserPromptSubmit: hook } }, cli);
    const turn = session.send('long');
    await cli.got('prompt long');
    cli.say(request);
    await vi.waitFor(() => expect(hook).toHaveBeenCalled(), 10_000);
    const signal = hook.mock.calls[0]?.[1].signal;
    expect(await turn.interrupt()).toEqual({ stillQueued: [] });
    expect(signal?.aborted).toBe(true);
    expect(await cli.got('answer r1')).toMatchObject({ response: { response: { decision: 'block' } } });
    expect(cli.story).not.toContain('interrupt');
    cli.say(INIT, result({ result: 'blocked' }));
    expect(await turn.result()).toMatchObject({ result: 'blocked' });
  });

  it('[S-3, H-8] refuses the prompt without calling the hook if the CLI has not yet asked for the hook', async () => {
    const cli = release('2.1.290');
    const run = vi.fn(() => {});
    const { session } = await start({ hooks: { UserPromptSubmit: run } }, cli);
    const turn = session.send('long');
    await cli.got('prompt long');
    await turn.interrupt();
    cli.say(request);
    expect(await cli.got('answer r1')).toMatchObject({ response: { response: { decision: 'block' } } });
    expect(cli.story).not.toContain('interrupt');
    cli.say(INIT, result({ result: 'blocked' }));
    await turn.result();
    expect(run).not.toHaveBeenCalled();
  });

  it('[S-3] is sent to releases that survive it', async () => {
    const cli = release(PINNED_VERSION);
    const { session } = await start({ hooks: { UserPromptSubmit: () => new Promise(() => {}) } }, cli);
    const turn = session.send('long');
    await cli.got('prompt long');
    cli.say(request);
    await settle();
    await turn.interrupt();
    expect(cli.story.slice(-1)).toEqual(['interrupt']);
  });
});

it('[H-4] a hook that stops its turn is answered after the interrupt, even on releases that exit at a prompt hook', async () => {
  const cli = new FakeCli({
    initialize: success({ commands: [], models: [], agents: [], claude_code_version: '2.1.197' }),
  });
  const hooks = { UserPromptSubmit: () => undefined, PreToolUse: () => stopTurn('enough') };
  const { session } = await start({ hooks }, cli);
  session.send('long');
  cli.begin(await cli.got('prompt long'));
  const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } };
  cli.say({
    type: 'control_request',
    request_id: 'r1',
    request: { subtype: 'hook_callback', callback_id: 'hook_1', input },
  });
  await cli.got('answer r1');
  expect(cli.story.slice(-2)).toEqual(['interrupt', 'answer r1']);
});
