import { describe, expect, it } from 'vitest';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, open, settle, start } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

async function typesOf(turn: AsyncIterable<{ type: string }>): Promise<string[]> {
  const types: string[] = [];
  for await (const { type } of turn) types.push(type);
  return types;
}

/** Records the type and the turn of each message. */
function watch(session: Session): { seen: unknown[]; watching: Promise<void> } {
  const seen: unknown[] = [];
  const watching = (async () => {
    for await (const item of session.messages()) if (item.kind === 'message') seen.push([item.message.type, item.turn]);
  })();
  return { seen, watching };
}

describe('a turn', () => {
  it('[S-3] yields its messages without the echo of the prompt, then its result and text', async () => {
    const { session, cli, events } = await start();
    const turn = session.send('hello');
    const prompt = await cli.got('prompt hello');
    expect(prompt).toEqual({
      type: 'user',
      message: { role: 'user', content: 'hello' },
      parent_tool_use_id: null,
      uuid: turn.id,
    });
    cli.reply(prompt, 'hi');
    expect(await typesOf(turn)).toEqual(['command_lifecycle', 'system', 'assistant', 'result']);
    expect(await turn.text()).toBe('hi');
    expect(await turn.result()).toMatchObject({ result: 'hi' });
    expect(turn.results).toHaveLength(1);
    expect(events.slice(-2)).toMatchObject([
      { type: 'turn-started', turn: turn.id },
      { type: 'turn-ended', turn: turn.id, outcome: 'completed' },
    ]);
  });

  it('[S-3] receives its messages from 2.1.197, whose frames name no prompt', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    const { uuid } = await cli.got('prompt hello');
    cli.say(
      INIT,
      { type: 'user', uuid, isReplay: true, message: { role: 'user', content: 'hello' } },
      assistant('hi'),
      result(),
    );
    expect(await typesOf(turn)).toEqual(['system', 'assistant', 'result']);
  });

  it('[S-3] sends content blocks unchanged', async () => {
    const { session, cli } = await start();
    const content = [{ type: 'text' as const, text: 'look' }];
    const turn = session.send(content);
    expect((await cli.got('prompt [{"type":"text","text":"look"}]')).message?.content).toEqual(content);
    expect(turn.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('[S-3, Q-2, W-7] has the same items as a query, numbered from 0, with the exact lines', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    const prompt = await cli.got('prompt hello');
    cli.begin(prompt);
    cli.print('nonsense\n');
    cli.print('{"type":"assistant",  "odd":  "spacing"}\n');
    cli.finish(prompt);
    const { items, warnings, terminalError } = await turn.collect();
    expect(items.map(({ kind, seq }) => [seq, kind])).toEqual([
      [0, 'message'],
      [1, 'message'],
      [2, 'warning'],
      [3, 'message'],
      [4, 'message'],
    ]);
    const third = items[3];
    expect(third).toMatchObject({ rawJson: '{"type":"assistant",  "odd":  "spacing"}', message: { odd: 'spacing' } });
    expect(warnings).toMatchObject([{ code: 'undecodable-line' }]);
    expect(terminalError).toBeUndefined();
  });

  it('[S-3, M-3] has a result, but no text, if it failed', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    cli.finish(await cli.got('prompt hello'), 'API Error: 500', { is_error: true, api_error_status: 500 });
    expect(await turn.result()).toMatchObject({ is_error: true });
    await expect(turn.text()).rejects.toMatchObject({ name: 'ResultError' });
  });

  it('[M-6, S-3] returns the output validated with the schema of the session', async () => {
    const { session, cli } = await start({ outputSchema: { type: 'object' } });
    const turn = session.send('hello');
    cli.finish(await cli.got('prompt hello'), '{}', { structured_output: { a: 42 } });
    expect(await turn.output()).toEqual({ a: 42 });
    const without = session.send('again');
    cli.finish(await cli.got('prompt again'));
    await expect(without.output()).rejects.toMatchObject({ name: 'StructuredOutputError' });
  });

  it('[S-3, Q-2] is iterated once; its promises can be awaited repeatedly', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    const early = turn.text();
    cli.reply(await cli.got('prompt hello'), 'hi');
    expect(await typesOf(turn)).toContain('result');
    await expect(typesOf(turn)).rejects.toMatchObject({ name: 'StreamConsumedError' });
    expect(await Promise.all([early, turn.text(), turn.text()])).toEqual(['hi', 'hi', 'hi']);
  });

  it('[O-4, S-3] with an invalid prompt or invalid options fails without being sent; send() never throws', async () => {
    const { session, cli } = await start();
    // @ts-expect-error a turn has no directory
    await expect(session.send('x', { cwd: '/' }).result()).rejects.toMatchObject({
      name: 'OptionsError',
      problems: [{ path: 'cwd', message: 'is not an option of a turn: pass it to the session.' }],
    });
    await expect(session.send('').result()).rejects.toMatchObject({ name: 'OptionsError' });
    expect(cli.story).toEqual(['initialize']);
  });
});

describe('a turn that is not read', () => {
  it('[S-3] completes and keeps its result and text', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    cli.reply(await cli.got('prompt hello'), 'hi');
    await session.idle();
    expect(await turn.text()).toBe('hi');
    expect(await typesOf(turn)).toEqual(['command_lifecycle', 'system', 'assistant', 'result']);
  });

  it('[S-3] continues after a break', async () => {
    const { session, cli } = await start();
    const turn = session.send('hello');
    const prompt = await cli.got('prompt hello');
    cli.begin(prompt);
    for await (const _ of turn) break;
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt hello']);
    cli.say(assistant('on and on'));
    cli.finish(prompt, 'the end');
    expect(await turn.text()).toBe('the end');
  });
});

describe('several turns of a session', () => {
  it('[S-3] run one after the other; the next prompt waits for the result', async () => {
    const { session, cli } = await start();
    const turns = [session.send('one'), session.send('two'), session.send('three')];
    const texts = Promise.all(turns.map((turn) => turn.text()));
    const one = await cli.got('prompt one');
    cli.begin(one);
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    cli.finish(one, '1');
    const two = await cli.got('prompt two');
    cli.begin(two);
    await settle();
    expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt two']);
    cli.finish(two, '2');
    cli.reply(await cli.got('prompt three'), '3');
    expect(await texts).toEqual(['1', '2', '3']);
  });

  it('[S-3] receive only their own messages', async () => {
    const { session, cli } = await start();
    const first = session.send('one').collect();
    const second = session.send('two').collect();
    cli.reply(await cli.got('prompt one'), 'to one');
    cli.reply(await cli.got('prompt two'), 'to two');
    const texts = (await Promise.all([first, second])).map(({ messages: items }) =>
      items.flatMap((item) => ('result' in item ? item.result : [])),
    );
    expect(texts).toEqual([['to one'], ['to two']]);
  });

  it('[S-3, S-11] are refused above limits.maxWaitingTurns', async () => {
    const { session, cli } = await start({ limits: { maxWaitingTurns: 2 } });
    const running = session.send('one');
    const waiting = [session.send('two'), session.send('three')];
    await expect(session.send('four').result()).rejects.toMatchObject({ name: 'TurnQueueFullError', limit: 2 });
    for (const words of ['prompt one', 'prompt two', 'prompt three']) cli.reply(await cli.got(words));
    await Promise.all([running, ...waiting].map((turn) => turn.result()));
    expect(cli.story).toHaveLength(4);
  });

  it('[S-3] fail with SessionStoppedError in a stopped session', async () => {
    const { session } = await start();
    await session.close();
    const { terminalError } = await session.send('too late').collect();
    expect(terminalError?.name).toBe('SessionStoppedError');
    expect(terminalError?.cause).toBeUndefined();
  });
});

describe('background work of the CLI', () => {
  it('[S-3, S-4] reaches messages(), but no turn', async () => {
    const { session, cli } = await start();
    const { seen, watching } = watch(session);
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.begin(prompt);
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    cli.finish(prompt);
    await turn.result();
    cli.say(
      { type: 'system', subtype: 'task_notification', task_id: 't1', status: 'completed' },
      INIT,
      assistant('by itself'),
    );
    await settle();
    const next = session.send('next');
    cli.say(assistant('still by itself'));
    await settle();
    expect(cli.story).not.toContain('prompt next');
    cli.say(result({ origin: { kind: 'task-notification' } }));
    cli.reply(await cli.got('prompt next'), 'yours');
    expect(await typesOf(next)).toEqual(['command_lifecycle', 'system', 'assistant', 'result']);
    await session.close();
    await watching;
    const nobody = null;
    expect(seen).toEqual([
      ['command_lifecycle', turn.id],
      ['system', turn.id],
      ['user', turn.id],
      ['system', turn.id],
      ['result', turn.id],
      ['system', nobody],
      ['system', nobody],
      ['assistant', nobody],
      ['assistant', nobody],
      ['result', nobody],
      ['command_lifecycle', next.id],
      ['system', next.id],
      ['user', next.id],
      ['assistant', next.id],
      ['result', next.id],
    ]);
  });

  it('[S-3, S-11] is assumed for an undecided run with much output, which is not delayed', async () => {
    const { session, cli } = await start({ limits: { bufferBytes: 2_000 } });
    const { seen, watching } = watch(session);
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    await settle();
    const turn = session.send('go');
    const { uuid } = await cli.got('prompt go');
    cli.say(INIT, assistant('x'.repeat(1_000)));
    await settle();
    expect(seen).toEqual([['system', null]]);
    cli.say(assistant('x'.repeat(1_000)), assistant('and on'));
    await settle();
    expect(seen).toEqual(['system', 'system', 'assistant', 'assistant', 'assistant'].map((type) => [type, null]));
    cli.say(result({ origin: { kind: 'task-notification' } }));
    cli.say(INIT, { type: 'user', uuid, isReplay: true }, assistant('yours'), result());
    expect(await typesOf(turn)).toEqual(['system', 'assistant', 'result']);
    await session.close();
    await watching;
  });

  it('[S-3, S-4] is never reported to observers with a wrong turn while its turn is undecided', async () => {
    const { session, cli } = await start();
    const { seen, watching } = watch(session);
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    await settle();
    const turn = session.send('go');
    const { uuid } = await cli.got('prompt go');
    // 2.1.197: neither the init nor the result names a prompt.
    cli.say(INIT, assistant('of the task'));
    await settle();
    expect(seen).toEqual([['system', null]]);
    cli.say(result({ origin: { kind: 'task-notification' } }));
    cli.say(INIT, { type: 'user', uuid, isReplay: true }, assistant('yours'), result());
    expect(await typesOf(turn)).toEqual(['system', 'assistant', 'result']);
    await session.close();
    await watching;
    expect(seen).toEqual([
      ['system', null],
      ['system', null],
      ['assistant', null],
      ['result', null],
      ['system', turn.id],
      ['user', turn.id],
      ['assistant', turn.id],
      ['result', turn.id],
    ]);
  });

  it('[S-4] is reported by task events', async () => {
    const { cli, events } = await start();
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    cli.say({ type: 'system', subtype: 'task_notification', task_id: 't1', status: 'stopped' });
    await settle();
    expect(events.slice(-2)).toMatchObject([
      { type: 'task-opened', task: 't1' },
      { type: 'task-closed', task: 't1', status: 'stopped' },
    ]);
  });
});

describe('idle()', () => {
  it('[S-3] resolves immediately if nothing runs, otherwise when turns and tasks are done', async () => {
    const { session, cli } = await start();
    await session.idle();
    const done: string[] = [];
    session.send('one');
    session.send('two');
    void session.idle().then(() => done.push('idle'));
    const one = await cli.got('prompt one');
    cli.begin(one);
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    cli.finish(one);
    cli.reply(await cli.got('prompt two'));
    await settle();
    expect(done).toEqual([]);
    cli.say({ type: 'system', subtype: 'task_notification', task_id: 't1' });
    await settle();
    expect(done).toEqual(['idle']);
  });

  it('[S-3, S-10] resolves at the end of the session, whatever was open', async () => {
    const { session, cli } = await start();
    cli.say({ type: 'system', subtype: 'task_started', task_id: 't1' });
    await settle();
    const idle = session.idle();
    cli.die(1);
    await idle;
    await session.idle();
  });

  it('[S-3] waits for the turns of a session that is still starting', async () => {
    const cli = new FakeCli();
    const { session } = open(cli);
    const turn = session.send('hello');
    const idle = session.idle();
    cli.reply(await cli.got('prompt hello'));
    await idle;
    expect(turn.results).toHaveLength(1);
  });
});
