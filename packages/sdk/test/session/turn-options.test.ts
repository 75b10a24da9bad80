import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { FakeCli, refusal, type Stage, settle, silence, start, success } from '../support/fake-cli.ts';
import { INIT, result } from '../support/say.ts';

/** The requests and prompts that the CLI received, without the handshake. */
const received = ({ cli }: Stage): unknown[] =>
  cli.log.slice(1).map((entry) => {
    if (typeof entry === 'string') return entry;
    const { subtype, ...fields } = entry.request ?? { subtype: 'prompt' };
    return [subtype, ...Object.values(fields)];
  });

const SET: AgentOptions = { model: 'sonnet', permissionMode: 'plan', maxThinkingTokens: 1_000 };

describe('the settings of a turn', () => {
  it('[S-7] are applied before its prompt and restored before the next one', async () => {
    const stage = await start(SET);
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus', permissionMode: 'acceptEdits', thinking: { type: 'disabled' } });
    const next = session.send('two');
    cli.reply(await cli.got('prompt one'));
    cli.reply(await cli.got('prompt two'));
    await Promise.all([turn.result(), next.result()]);
    expect(received(stage)).toEqual([
      ['set_model', 'opus'],
      ['set_permission_mode', 'acceptEdits'],
      ['set_max_thinking_tokens', 0],
      ['prompt'],
      ['set_model', 'sonnet'],
      ['set_permission_mode', 'plan'],
      ['set_max_thinking_tokens', 1_000],
      ['prompt'],
    ]);
  });

  it('[S-7] are not sent if they are already in effect', async () => {
    const stage = await start(SET);
    const { session, cli } = stage;
    await session.setModel('opus');
    const turn = session.send('one', { model: 'opus', permissionMode: 'plan' });
    cli.reply(await cli.got('prompt one'));
    await turn.result();
    await settle();
    expect(received(stage)).toEqual([['set_model', 'opus'], ['prompt']]);
  });

  it('[S-7] request the model of the session if it is unknown, and restore it by that name', async () => {
    const stage = await start({}, new FakeCli({ get_settings: success({ applied: { model: 'claude-default' } }) }));
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus' });
    cli.reply(await cli.got('prompt one'));
    await turn.result();
    await cli.got('set_model', 2);
    expect(received(stage)).toEqual([
      ['get_settings'],
      ['set_model', 'opus'],
      ['prompt'],
      ['set_model', 'claude-default'],
    ]);
  });

  it('[S-7] include the model even if the init of the turn reports its full name', async () => {
    const stage = await start(SET);
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus' });
    const prompt = await cli.got('prompt one');
    cli.say({ type: 'system', subtype: 'init', model: 'claude-opus-5', permissionMode: 'plan' });
    cli.finish(prompt);
    await turn.result();
    await cli.got('set_model', 2);
    expect(received(stage)).toEqual([['set_model', 'opus'], ['prompt'], ['set_model', 'sonnet']]);
  });

  it('[S-7] are not restored if they were changed otherwise during the turn', async () => {
    const stage = await start(SET);
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus', permissionMode: 'acceptEdits' });
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await session.setModel('haiku');
    cli.say({ type: 'system', subtype: 'status', status: null, permissionMode: 'default' });
    cli.finish(prompt);
    await turn.result();
    await settle();
    expect(received(stage)).toEqual([
      ['set_model', 'opus'],
      ['set_permission_mode', 'acceptEdits'],
      ['prompt'],
      ['set_model', 'haiku'],
    ]);
  });

  it('[S-7] fail the turn before its prompt if they are refused; changes are restored, and the next turn runs', async () => {
    const stage = await start(
      SET,
      new FakeCli({ set_permission_mode: refusal('Cannot set permission mode', 'invalid_mode') }),
    );
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus', permissionMode: 'acceptEdits' });
    const next = session.send('two');
    await expect(turn.result()).rejects.toMatchObject({ name: 'ControlRequestError', errorCode: 'invalid_mode' });
    cli.reply(await cli.got('prompt two'));
    await next.result();
    expect(received(stage)).toEqual([
      ['set_model', 'opus'],
      ['set_permission_mode', 'acceptEdits'],
      ['set_model', 'sonnet'],
      ['prompt'],
    ]);
  });

  it('[S-7, S-3] are restored if the turn is cancelled while they are applied, and its prompt is never sent', async () => {
    const stage = await start(SET, new FakeCli({ set_model: silence }));
    const { session, cli } = stage;
    const turn = session.send('one', { model: 'opus' });
    await cli.got('set_model');
    await turn.interrupt();
    await expect(turn.result()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    const next = session.send('two');
    cli.answers.set_model = success();
    cli.succeed('req_2');
    cli.reply(await cli.got('prompt two'));
    await next.result();
    expect(received(stage)).toEqual([['set_model', 'opus'], ['set_model', 'sonnet'], ['prompt']]);
  });
});

it('[S-7, E-2] unreadable options of a turn fail the turn, and send() does not throw', async () => {
  const { session } = await start();
  const unreadable = {
    get model(): string {
      throw new Error('mine');
    },
  };
  for (const options of [unreadable, Proxy.revocable({}, {})]) {
    if ('revoke' in options) options.revoke();
    const turn = session.send('one', 'proxy' in options ? options.proxy : options);
    await expect(turn.result()).rejects.toMatchObject({
      code: 'options',
      message: expect.stringContaining('could not be read'),
    });
  }
});

describe('the signal of a turn', () => {
  it('[S-7] prevents the turn if it is already aborted', async () => {
    const { session, cli } = await start();
    const turn = session.send('one', { signal: AbortSignal.abort(new Error('no')) });
    await expect(turn.result()).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'no' } });
    await settle();
    expect(cli.story).toEqual(['initialize']);
  });

  it('[S-7] fails a waiting turn immediately, which is never sent', async () => {
    const { session, cli } = await start();
    const running = session.send('one');
    const controller = new AbortController();
    const turn = session.send('two', { signal: controller.signal });
    const prompt = await cli.got('prompt one');
    controller.abort();
    await expect(turn.result()).rejects.toMatchObject({ name: 'AbortError' });
    cli.reply(prompt);
    await running.result();
    await session.idle();
    expect(cli.story).toEqual(['initialize', 'prompt one']);
  });

  it('[S-7] fails a running turn immediately and interrupts the CLI; the session continues', async () => {
    const { session, cli } = await start();
    const controller = new AbortController();
    const turn = session.send('one', { signal: controller.signal });
    const next = session.send('two');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    const reading = turn.collect();
    await settle();
    controller.abort(new Error('enough'));
    await expect(turn.result()).rejects.toMatchObject({ name: 'AbortError', cause: { message: 'enough' } });
    expect((await reading).terminalError).toMatchObject({ name: 'AbortError' });
    await cli.got('interrupt');
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt one', 'interrupt']);
    cli.finish(prompt, '', { is_error: true, terminal_reason: 'aborted_streaming' });
    cli.reply(await cli.got('prompt two'), 'fine');
    expect(await next.text()).toBe('fine');
    expect(session.state).toBe('running');
  });

  it('[S-7] has no effect after the end', async () => {
    const { session, cli } = await start();
    const controller = new AbortController();
    const turn = session.send('one', { signal: controller.signal });
    cli.reply(await cli.got('prompt one'), 'done');
    await turn.result();
    await settle();
    controller.abort();
    await settle();
    expect(await turn.text()).toBe('done');
    expect(cli.story).toEqual(['initialize', 'prompt one']);
  });
});

it('[S-7] the mode reported by a run of the CLI is not used as that of the session, because it may be outdated', async () => {
  const cli = new FakeCli();
  const { session } = await start({ permissionMode: 'plan' }, cli);
  cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
  const first = session.send('first', { permissionMode: 'acceptEdits' });
  cli.reply(await cli.got('prompt first'));
  await first.result();
  await cli.got('set_permission_mode', 2);
  // The run started while the mode of the turn was in effect.
  cli.say({ ...INIT, permissionMode: 'acceptEdits' }, result({ origin: { kind: 'task-notification' } }));
  await settle();
  const second = session.send('second', { permissionMode: 'plan' });
  cli.reply(await cli.got('prompt second'));
  await second.result();
  const third = session.send('third');
  cli.reply(await cli.got('prompt third'));
  await third.result();
  expect(cli.story.filter((words) => words === 'set_permission_mode')).toHaveLength(2);
});
