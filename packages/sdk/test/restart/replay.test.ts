import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PartialTurn } from '../../src/restart/partial-turn.ts';
import type { InterruptedTurn } from '../../src/restart/policy.ts';
import type { Message } from '../../src/wire/messages.ts';
import { type FakeCli, settle } from '../support/fake-cli.ts';
import { assistant } from '../support/say.ts';
import { AT_ONCE, all, start } from './stage.ts';

describe('a prompt that a crash cut off', () => {
  it('[A-2] is resent with a new id if the model had not started to answer', async () => {
    const { session, cli1, cli, events, warnings } = await start({}, { ...AT_ONCE, replay: 'unanswered' });
    const turn = session.send('one');
    const next = session.send('two');
    const items = all(turn.items());
    const { id } = turn;
    cli1.begin(await cli1.got('prompt one'));
    await settle();
    cli1.die(1);
    const cli2 = await cli(2);
    const again = await cli2.got('prompt one');
    expect(again.uuid).toBe(turn.id);
    expect(turn.id).not.toBe(id);
    cli2.reply(again, 'an answer');
    cli2.reply(await cli2.got('prompt two'), 'another');
    expect(await turn.text()).toBe('an answer');
    expect(await next.text()).toBe('another');
    expect(events.find(({ type }) => type === 'turn-interrupted')).toMatchObject({ turn: id, replayedAs: turn.id });
    const seen = await items;
    expect(seen.map((item) => (item.kind === 'message' ? item.message.type : item.kind))).toEqual([
      ...['command_lifecycle', 'system'],
      ...['warning', 'command_lifecycle', 'system', 'assistant', 'result'],
    ]);
    expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index));
    expect(warnings).toMatchObject([{ code: 'turn-replayed', context: { turn: turn.id, before: id } }]);
    expect(turn.results).toHaveLength(1);
  });

  it('[A-2, Q-12] has one timeoutMs for all attempts: a CLI that keeps dying does not renew it', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { session, cli1, cli } = await start({}, { ...AT_ONCE, replay: () => true });
    const turn = session.send('one', { timeoutMs: 600_000 });
    const failed = expect(turn.result()).rejects.toMatchObject({ code: 'timeout' });
    cli1.begin(await cli1.got('prompt one'));
    vi.advanceTimersByTime(400_000);
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.begin(await cli2.got('prompt one'));
    await settle();
    vi.advanceTimersByTime(200_001);
    await failed;
  });

  it('[A-2, S-12] keeps all output of the first attempt for a slow reader', async () => {
    const { session, cli1, cli } = await start({}, { ...AT_ONCE, replay: () => true });
    const turn = session.send('one');
    const reader = turn.items()[Symbol.asyncIterator]();
    cli1.begin(await cli1.got('prompt one'));
    const first = await reader.next();
    cli1.say(assistant('A1'), assistant('A2'), assistant('A3'));
    cli1.die(1);
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt one'), 'B1');
    expect(await turn.text()).toBe('B1');
    const items = [...(first.done ? [] : [first.value]), ...(await all({ [Symbol.asyncIterator]: () => reader }))];
    expect(
      items.map((item) => {
        if (item.kind === 'warning') return item.warning.code;
        if (item.kind !== 'message') return item.kind;
        return /"text":"(.*?)"/.exec(item.rawJson)?.[1] ?? item.message.type;
      }),
    ).toEqual([
      ...['command_lifecycle', 'system', 'A1', 'A2', 'A3'],
      ...['turn-replayed', 'command_lifecycle', 'system', 'B1', 'result'],
    ]);
    expect(items.map(({ seq }) => seq)).toEqual(items.map((_, index) => index));
    expect(turn.results).toMatchObject([{ result: 'B1' }]);
  });

  it('[A-2] is not resent if the model had started to answer', async () => {
    const { session, cli1 } = await start({}, { ...AT_ONCE, replay: 'unanswered' });
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    cli1.say(assistant('well'));
    cli1.die(1);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError', text: 'well' });
  });

  it('[A-2] is resent if a function of the caller decides so, based on the output so far', async () => {
    const cuts: InterruptedTurn[] = [];
    const replay = (cut: InterruptedTurn): boolean => cuts.push(cut) < 2;
    const { session, cli } = await start({ includePartialMessages: true }, { ...AT_ONCE, replay });
    const turn = session.send('one');
    for (const nth of [1, 2]) {
      const dying = await cli(nth);
      dying.begin(await dying.got('prompt one'));
      dying.say(assistant(`answer ${nth}`));
      dying.say({
        type: 'stream_event',
        event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and mo' } },
        parent_tool_use_id: null,
      });
      await settle();
      dying.die(nth);
    }
    const failure = { name: 'TurnInterruptedError', text: 'answer 2\nand mo', cause: { exitCode: 2 } };
    await expect(turn.text()).rejects.toMatchObject(failure);
    expect(cuts).toMatchObject([
      { prompt: 'one', attempts: 1, answered: true, text: 'answer 1\nand mo', cause: { exitCode: 1 } },
      { prompt: 'one', attempts: 2, answered: true, text: 'answer 2\nand mo', cause: { exitCode: 2 } },
    ]);
    expect(cuts[0]?.messages.map(({ type }) => type)).toEqual(['command_lifecycle', 'system', 'assistant']);
  });

  it('[A-2] is not resent if that function fails', async () => {
    const replay = (): boolean => {
      throw new Error('no idea');
    };
    const { session, cli1, warnings } = await start({}, { ...AT_ONCE, replay });
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    cli1.die(1);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError' });
    expect(warnings).toMatchObject([{ code: 'callback-failed', message: expect.stringContaining('no idea') }]);
  });

  it('[A-2] fails with TurnInterruptedError if it is not resent', async () => {
    const { session, cli1 } = await start({}, { delayMs: 2 ** 30, maxDelayMs: 2 ** 30, replay: () => true });
    const [stopped, interrupted] = [session.send('one'), session.send('two')];
    cli1.begin(await cli1.got('prompt one'));
    cli1.die(1);
    for await (const event of session.events()) if (event.type === 'restarting') break;
    await interrupted.interrupt();
    await expect(interrupted.text()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    await session.close();
    await expect(stopped.text()).rejects.toMatchObject({ name: 'TurnInterruptedError', cause: { exitCode: 1 } });
  });

  it.each<[string, (cli: FakeCli) => void]>([
    ['dies', (cli) => cli.die(1)],
    ['does not answer and is ended', () => {}],
  ])('[A-2, S-3] is not sent again if the caller has interrupted it and the CLI %s', async (_, answer) => {
    const limits = { interruptTimeoutMs: 50 };
    const { session, cli1, cli, events } = await start({ limits }, { ...AT_ONCE, replay: () => true });
    for (const [nth, interrupt] of ['turn', 'session'].entries()) {
      const current = nth === 0 ? cli1 : await cli(2);
      current.answers.interrupt = answer;
      const turn = session.send('one');
      current.begin(await current.got('prompt one'));
      current.say(assistant('half of it'));
      await settle();
      await expect(interrupt === 'turn' ? turn.interrupt() : session.interrupt()).rejects.toThrow();
      await expect(turn.text()).rejects.toMatchObject({ name: 'TurnInterruptedError', text: 'half of it' });
    }
    const next = session.send('two');
    const cli3 = await cli(3);
    cli3.reply(await cli3.got('prompt two'));
    await next.text();
    expect(cli3.story).toEqual(['initialize', 'prompt two']);
    expect(events.filter(({ type }) => type === 'turn-interrupted')).toMatchObject([
      { replayedAs: null },
      { replayedAs: null },
    ]);
  });

  it('[A-2, S-3] is not sent if the caller has interrupted it before the exit of its CLI was noticed', async () => {
    const { session, cli1, cli } = await start();
    cli1.hasExited = true; // Writes fail, but this is not detected yet.
    const turn = session.send('one');
    await settle();
    await turn.interrupt();
    cli1.die(null, 'SIGKILL');
    await expect(turn.text()).rejects.toMatchObject({ name: 'TurnCancelledError' });
    const next = session.send('two');
    const cli2 = await cli(2);
    cli2.reply(await cli2.got('prompt two'));
    await next.text();
    expect(cli2.story).toEqual(['initialize', 'prompt two']);
  });

  it('[A-2, S-3] is sent again with what was added to it', async () => {
    const { session, cli1, cli } = await start({}, { ...AT_ONCE, replay: 'unanswered' });
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    await turn.steer('delete nothing');
    cli1.die(1);
    const cli2 = await cli(2);
    const prompt = await cli2.got('prompt one');
    const added = await cli2.got('prompt delete nothing');
    cli2.begin(prompt);
    cli2.begin(added);
    cli2.finish(prompt, 'both', { user_message_uuids: [prompt.uuid, added.uuid] });
    expect(await turn.text()).toBe('both');
    expect(cli2.story).toEqual(['initialize', 'prompt one', 'prompt delete nothing']);
  });

  it('[A-2, W-10] costs time in proportion to what the model has written, however long that is', () => {
    const partial = new PartialTurn(256 * 1024);
    const delta = (text: string): Message => ({
      type: 'stream_event',
      event: { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } },
      parent_tool_use_id: null,
      uuid: 'u',
      session_id: 's',
    });
    const small = delta('x');
    const time = (): number => {
      const since = performance.now();
      for (let nth = 0; nth < 50_000; nth++) partial.note(small, 1);
      return performance.now() - since;
    };
    partial.note(delta('y'.repeat(300 * 1024)), 1);
    // Cutting the text with each of them took seconds.
    expect(time()).toBeLessThan(1_000);
    expect(partial.text).toHaveLength(256 * 1024);
    expect(partial.text.endsWith('x'.repeat(50_000))).toBe(true);
  });

  it('[A-2] keeps only the last part of the output of a very long turn', async () => {
    const { session, cli1 } = await start({ limits: { observerBytes: 2_000 } });
    const turn = session.send('one');
    cli1.begin(await cli1.got('prompt one'));
    for (let nth = 0; nth < 100; nth++) cli1.say(assistant(`part ${nth} ${'x'.repeat(100)}`));
    await settle();
    cli1.die(1);
    const failure = await turn.text().catch((error) => error);
    expect(failure.text).toContain('part 99');
    expect(failure.text).not.toContain('part 1 ');
    expect(failure.messages.length).toBeLessThan(20);
    expect(JSON.parse(JSON.stringify(failure))).toMatchObject({ code: 'turn-interrupted', turn: turn.id });
  });
});
