import { describe, expect, it } from 'vitest';
import { openSession } from '../../src/index.ts';
import { FakeCli, settle, start, success } from '../support/fake-cli.ts';
import { assistant, INIT, result } from '../support/say.ts';

describe('steering a turn', () => {
  it('[S-3] writes to the running turn immediately, with a new id', async () => {
    const { session, cli } = await start();
    const turn = session.send('long');
    const prompt = await cli.got('prompt long');
    cli.begin(prompt);
    await turn.steer('more to the left');
    const steered = await cli.got('prompt more to the left');
    expect(steered).toMatchObject({
      type: 'user',
      message: { role: 'user', content: 'more to the left' },
    });
    expect(steered.uuid).not.toBe(turn.id);
    cli.say({ type: 'user', uuid: steered.uuid, isReplay: true }, assistant('left'));
    cli.finish(prompt, 'left it is', { user_message_uuids: [turn.id, steered.uuid] });
    expect(await turn.text()).toBe('left it is');
  });

  it('[S-3] with session.steer() adds to the running turn, and rejects if there is none', async () => {
    const { session, cli } = await start();
    await expect(session.steer('too early')).rejects.toMatchObject({ code: 'turn-ended' });
    const turn = session.send('long');
    const prompt = await cli.got('prompt long');
    cli.begin(prompt);
    await session.steer('more to the left');
    const { uuid } = await cli.got('prompt more to the left');
    cli.finish(prompt, 'left it is', { user_message_uuids: [turn.id, uuid] });
    expect(await turn.text()).toBe('left it is');
    await expect(session.steer('too late')).rejects.toMatchObject({ code: 'turn-ended' });
  });

  it('[S-3] extends the turn to the next result if the CLI has not consumed the addition', async () => {
    const { session, cli } = await start();
    const turn = session.send('one');
    const next = session.send('two');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await turn.steer('and then?');
    const { uuid } = await cli.got('prompt and then?');
    cli.finish(prompt, 'first');
    await settle();
    expect(cli.story).not.toContain('prompt two');
    cli.say(INIT, { type: 'user', uuid, isReplay: true }, result({ result: 'second', user_message_uuids: [uuid] }));
    expect(await turn.text()).toBe('second');
    expect(turn.results).toHaveLength(2);
    cli.reply(await cli.got('prompt two'));
    await next.result();
  });

  it.each([
    ['before its result', false],
    ['after its result', true],
  ])('[S-3] is withdrawn by an interrupt, %s', async (_, resultFirst) => {
    const cli = new FakeCli({ cancel_async_message: success({ cancelled: true }) });
    const { session } = await start({}, cli);
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await turn.steer('and then?');
    const { uuid } = await cli.got('prompt and then?');
    if (resultFirst) {
      cli.finish(prompt, 'first');
      await settle();
    }
    await turn.interrupt();
    if (!resultFirst) cli.finish(prompt, 'first');
    expect(await turn.result()).toMatchObject({ result: 'first' });
    expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt and then?', 'cancel_async_message', 'interrupt']);
    expect(await cli.got('cancel_async_message')).toMatchObject({ request: { message_uuid: uuid } });
    await session.idle();
  });

  it('[S-3] is written first, and withdrawn, if an interrupt follows in the same tick', async () => {
    const cli = new FakeCli({ cancel_async_message: success({ cancelled: true }) });
    const { session } = await start({}, cli);
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    await settle();
    await Promise.all([turn.steer('more'), turn.interrupt()]);
    expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt more', 'cancel_async_message', 'interrupt']);
  });

  it('[S-3] is part of the turn and interrupted if 2.1.197 runs it despite two interrupts', async () => {
    const cli = new FakeCli({ cancel_async_message: success({ cancelled: false }) });
    const { session } = await start({}, cli);
    const turn = session.send('one');
    const next = session.send('two');
    cli.say(INIT, { ...(await cli.got('prompt one')), isReplay: true });
    await settle();
    await Promise.all([turn.steer('more'), turn.interrupt(), turn.interrupt()]);
    cli.say(result({ result: 'cut' }), INIT, { ...(await cli.got('prompt more')), isReplay: true });
    await cli.got('interrupt', 3);
    expect(cli.story).not.toContain('prompt two');
    cli.say(result({ result: 'cut, too' }));
    cli.say(INIT, { ...(await cli.got('prompt two')), isReplay: true }, result({ result: 'second' }));
    expect(await next.text()).toBe('second');
    expect(turn.results).toMatchObject([{ result: 'cut' }, { result: 'cut, too' }]);
  });

  it('[S-3] immediately after send() follows the prompt', async () => {
    const { session, cli } = await start({ model: 'a' });
    await session.send('first', { model: 'b' }).steer('second');
    expect(cli.story).toEqual(['initialize', 'set_model', 'prompt first', 'prompt second']);
  });

  it('[S-3] rejects for a turn that waits, has ended or was aborted', async () => {
    const { session, cli } = await start();
    const abort = new AbortController();
    const turn = session.send('one', { signal: abort.signal });
    const waiting = session.send('two');
    const prompt = await cli.got('prompt one');
    await expect(waiting.steer('x')).rejects.toMatchObject({ name: 'TurnEndedError' });
    abort.abort();
    await expect(turn.steer('x')).rejects.toMatchObject({ name: 'TurnEndedError' });
    cli.finish(prompt);
    cli.reply(await cli.got('prompt two'));
    await waiting.result();
    await expect(waiting.steer('x')).rejects.toMatchObject({ name: 'TurnEndedError' });
    expect(cli.story).not.toContain('prompt x');
  });
});

describe('pushed raw frames', () => {
  it('[S-3] are sent unchanged, and their messages reach messages()', async () => {
    const { session, cli } = await start();
    const messages = session.messages();
    const frame = { type: 'user', message: { role: 'user', content: 'raw' }, uuid: 'u-1', extra: [1] } as const;
    await session.push(frame);
    expect(await cli.got('prompt raw')).toEqual(frame);
    cli.say(INIT, result({ user_message_uuids: ['u-1'] }));
    expect((await messages.next()).value).toMatchObject({ message: { subtype: 'init' }, turn: null });
    expect((await messages.next()).value).toMatchObject({ message: { type: 'result' }, turn: null });
  });

  it('[S-3] get an id, and an immediately following prompt waits until the CLI has handled them', async () => {
    const { session, cli } = await start();
    void session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    const turn = session.send('mine');
    const raw = await cli.got('prompt raw');
    expect(raw.uuid).toMatch(/^[0-9a-f-]{36}$/);
    cli.say(INIT, { ...raw, isReplay: true }, assistant('to raw'));
    await settle();
    expect(cli.story).not.toContain('prompt mine');
    cli.say(result({ result: 'to raw' }));
    cli.reply(await cli.got('prompt mine'), 'to mine');
    expect(await turn.text()).toBe('to mine');
  });

  it('[S-3] before the session is ready precede a later prompt', async () => {
    const cli = new FakeCli();
    const session = openSession({ transport: cli });
    const pushed = session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    const turn = session.send('mine');
    cli.reply(await cli.got('prompt raw'), 'to raw');
    cli.reply(await cli.got('prompt mine'), 'to mine');
    await pushed;
    expect(await turn.text()).toBe('to mine');
    await session.close();
  });

  it('[S-3] immediately after send() follow its prompt', async () => {
    const { session, cli } = await start({ model: 'a' });
    const turn = session.send('mine', { model: 'b' });
    await session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    expect(cli.story).toEqual(['initialize', 'set_model', 'prompt mine', 'prompt raw']);
    cli.reply(await cli.got('prompt mine'), 'to mine');
    expect(await turn.text()).toBe('to mine');
  });

  it('[S-3, S-9] are refused while the session is being stopped', async () => {
    const { session, cli } = await start();
    const stopped = session.close();
    const pushed = session.push({ type: 'user', message: { role: 'user', content: 'raw' } });
    await expect(pushed).rejects.toMatchObject({ name: 'SessionStoppedError' });
    await stopped;
    expect(cli.story).toEqual(['initialize', 'end_session']);
  });
});
