import { describe, expect, it } from 'vitest';
import type { Turn } from '../../src/conversation/turn.ts';
import { Deferred } from '../../src/timing/timers.ts';
import { FakeCli, type Frame, silence, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { assistant, result } from '../support/say.ts';

fakeClock();

describe('timeoutMs of a turn', () => {
  it('[S-7, Q-12] rejects the turn immediately and interrupts it; the session continues', async () => {
    const { session, cli } = await start();
    const turn = session.send('one', { timeoutMs: 1_000 });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'timeoutMs', ms: 1_000 });
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await pass(999);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    await pass(1);
    await failed;
    expect(cli.story).toEqual(['initialize', 'prompt one', 'interrupt']);
    cli.finish(prompt);
    const next = session.send('two');
    cli.reply(await cli.got('prompt two'));
    await next.result();
  });

  it('[S-7, Q-12] of the session applies to each turn without its own', async () => {
    const { session, cli } = await start({ timeoutMs: 1_000 });
    const patient = session.send('one', { timeoutMs: 5_000 });
    const turn = session.send('two', { timeoutMs: undefined });
    const prompt = await cli.got('prompt one');
    await pass(4_000);
    cli.reply(prompt);
    await patient.result();
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError', ms: 1_000 });
    await cli.got('prompt two');
    await pass(1_000);
    await failed;
  });

  it('[S-7] does not run while the turn waits', async () => {
    const { session, cli } = await start();
    const first = session.send('one');
    const second = session.send('two', { timeoutMs: 1_000 });
    const prompt = await cli.got('prompt one');
    await pass(5_000);
    cli.reply(prompt);
    await first.result();
    cli.reply(await cli.got('prompt two'), 'in time');
    expect(await second.text()).toBe('in time');
  });

  it('[S-7] runs while its settings are applied, and may prevent its prompt', async () => {
    const { session, cli } = await start({ model: 'a' }, new FakeCli({ set_model: silence }));
    const turn = session.send('one', { model: 'b', timeoutMs: 1_000 });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError' });
    await cli.got('set_model');
    await pass(1_000);
    await failed;
    cli.succeed('req_2');
    await pass(0);
    expect(cli.story).toEqual(['initialize', 'set_model', 'set_model']);
  });
});

describe('idleTimeoutMs of a turn', () => {
  it('[S-7, Q-12] expires if the CLI sends nothing', async () => {
    const { session, cli } = await start();
    const turn = session.send('one', { idleTimeoutMs: 1_000 });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'idleTimeoutMs' });
    await cli.got('prompt one');
    await pass(1_000);
    await failed;
    expect(cli.story).toEqual(['initialize', 'prompt one', 'interrupt']);
  });

  it('[S-7, Q-12] restarts with every frame, and allows for the delay of an api_retry', async () => {
    const { session, cli } = await start();
    const turn = session.send('one', { idleTimeoutMs: 1_000 });
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    for (let i = 0; i < 3; i++) {
      await pass(900);
      cli.say(assistant('still here'));
    }
    await pass(900);
    cli.say({ type: 'system', subtype: 'api_retry', retry_delay_ms: 5_000 });
    await pass(5_900);
    cli.finish(prompt, 'made it');
    expect(await turn.text()).toBe('made it');
  });

  it('[S-7, Q-12] pauses while a user callback runs, and continues afterwards', async () => {
    let decide: (result: object) => void = () => {};
    const { session, cli } = await start({
      hooks: { PreToolUse: () => new Promise((resolve) => (decide = resolve)) },
    });
    const turn = session.send('one', { idleTimeoutMs: 1_000 });
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await pass(500);
    cli.askHook('h1');
    await pass(10_000);
    // Other frames during the callback do not restart the timer.
    cli.say({ type: 'tool_progress', tool_use_id: 'x' });
    await pass(10_000);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    decide({});
    await cli.answered('h1');
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'idleTimeoutMs' });
    await pass(999);
    expect(cli.story).toEqual(['initialize', 'prompt one', 'answer h1']);
    await pass(1);
    await failed;
  });

  it('[S-7, H-8] continues when the CLI withdraws its request', async () => {
    const { session, cli } = await start({ onControlRequest: () => new Promise(() => {}) });
    const turn = session.send('one', { idleTimeoutMs: 1_000 });
    const failed = expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError' });
    await cli.got('prompt one');
    cli.ask('q1', 'something_new');
    await pass(5_000);
    cli.say({ type: 'control_cancel_request', request_id: 'q1' });
    await pass(1_000);
    await failed;
  });
});

describe('idleTimeoutMs of a turn whose reader blocks the pipe', () => {
  const CHUNK = assistant('x'.repeat(64 * 1024));

  /** A turn with far more than 1 MiB of output, whose reader has taken one message. */
  async function held(
    idleTimeoutMs: number,
    chunks = 100,
  ): Promise<{
    cli: FakeCli;
    turn: Turn;
    prompt: Frame;
    reader: AsyncIterator<{ type: string }>;
  }> {
    const { session, cli } = await start();
    const turn = session.send('one', { idleTimeoutMs });
    const reader = turn[Symbol.asyncIterator]();
    const first = reader.next();
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await first;
    for (let i = 0; i < chunks; i++) cli.say(CHUNK);
    await pass(0);
    return { cli, turn, prompt, reader };
  }

  it('[S-7, S-12] does not end the turn, because output of the CLI is not read', async () => {
    const { cli, turn, prompt, reader } = await held(1_000);
    const pulls = cli.output.pulls;
    await pass(60_000);
    expect(cli.output.pulls).toBe(pulls);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    cli.finish(prompt, 'made it');
    // The init, the messages, the result.
    expect(await countRest(reader)).toBe(102);
    expect(await turn.text()).toBe('made it');
  });

  it('[S-7, S-12] restarts once the reader has caught up', async () => {
    const { cli, turn, reader } = await held(1_000);
    await pass(10_000);
    for (let i = 0; i < 101; i++) await reader.next();
    const failed = expect(reader.next()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'idleTimeoutMs' });
    await pass(999);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    await pass(1);
    await failed;
    await expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(cli.story).toEqual(['initialize', 'prompt one', 'interrupt']);
  });

  it('[S-7, S-12] counts from the moment the reader has caught up, even without further output', async () => {
    const { cli, turn, reader } = await held(1_000, 16);
    await pass(1_500);
    for (let i = 0; i < 17; i++) await reader.next();
    const failed = expect(reader.next()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'idleTimeoutMs' });
    await pass(999);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    await pass(1_000);
    await failed;
    await expect(turn.result()).rejects.toMatchObject({ name: 'TimeoutError' });
  });

  it('[S-7, S-12] does not extend timeoutMs', async () => {
    const { session, cli } = await start({ timeoutMs: 5_000, limits: { bufferBytes: 10_000 } });
    const turn = session.send('one', { idleTimeoutMs: 1_000 });
    const reader = turn[Symbol.asyncIterator]();
    const first = reader.next();
    cli.begin(await cli.got('prompt one'));
    await first;
    cli.say(CHUNK, CHUNK);
    await pass(4_999);
    expect(cli.story).toEqual(['initialize', 'prompt one']);
    await pass(1);
    await expect(reader.next()).rejects.toMatchObject({ name: 'TimeoutError', kind: 'timeoutMs' });
  });
});

describe('a turn that does not end', () => {
  it('[S-7] within limits.interruptTimeoutMs after its interrupt fails the session with turn-stuck', async () => {
    const { session, cli, events } = await start({ limits: { interruptTimeoutMs: 2_000 } });
    const turn = session.send('one', { timeoutMs: 100 });
    const waiting = session.send('two');
    const failures = Promise.allSettled([turn.result(), waiting.result()]);
    await cli.got('prompt one');
    await pass(100);
    // Frames neither end the turn nor extend the timeout.
    for (let i = 0; i < 3; i++) {
      cli.say(assistant('still at it'));
      await pass(600);
    }
    expect(session.state).toBe('running');
    await pass(200);
    await pass(10);
    expect(await failures).toMatchObject([
      { reason: { name: 'TimeoutError' } },
      { reason: { name: 'SessionStoppedError', cause: { name: 'TurnStuckError' } } },
    ]);
    await session.closed;
    expect(session.state).toBe('failed');
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'turn-stuck', cause: { code: 'timeout' } } });
    expect(cli.story).toEqual(['initialize', 'prompt one', 'interrupt', 'terminate']);
  });

  it.each(['session', 'turn'] as const)(
    '[S-7] although the CLI has answered %s.interrupt() fails with turn-stuck, and so does the session with the turns that wait',
    async (of) => {
      const { session, cli } = await start({ limits: { interruptTimeoutMs: 2_000 } });
      const turn = session.send('one');
      const waiting = session.send('two');
      const failures = Promise.allSettled([turn.result(), waiting.result()]);
      cli.begin(await cli.got('prompt one'));
      await (of === 'session' ? session : turn).interrupt();
      await pass(1_000);
      // Another interrupt does not extend the limit.
      await session.interrupt();
      await pass(900);
      expect(session.state).toBe('running');
      await pass(110);
      expect(await failures).toMatchObject([
        { reason: { name: 'TurnStuckError' } },
        { reason: { name: 'SessionStoppedError', cause: { name: 'TurnStuckError' } } },
      ]);
      await session.closed;
      expect(session.state).toBe('failed');
    },
  );

  it('[S-7] fails after the same limit if the CLI has not started its prompt', async () => {
    const { session, cli } = await start({ limits: { interruptTimeoutMs: 2_000 } });
    const failure = expect(session.send('one').result()).rejects.toMatchObject({ name: 'TurnStuckError' });
    await cli.got('prompt one');
    await session.interrupt();
    await pass(2_010);
    await failure;
  });

  it('[S-7] gets the whole limit again if the CLI starts its prompt late and is interrupted again', async () => {
    const { session, cli } = await start({ limits: { interruptTimeoutMs: 2_000 } });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    await turn.interrupt();
    await pass(1_900);
    cli.begin(prompt);
    await cli.got('interrupt', 2);
    await pass(1_900);
    cli.say(result({ user_message_uuids: [turn.id] }));
    await turn.result();
    await pass(5_000);
    expect(session.state).toBe('running');
  });

  it('[S-7] is not limited while a callback runs', async () => {
    const { promise, resolve } = new Deferred<undefined>();
    const { session, cli } = await start({
      limits: { interruptTimeoutMs: 2_000 },
      hooks: { PreToolUse: () => promise },
    });
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    const input = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } };
    cli.say({
      type: 'control_request',
      request_id: 'r1',
      request: { subtype: 'hook_callback', callback_id: 'hook_0', input },
    });
    await pass(0);
    await session.interrupt();
    await pass(10_000);
    expect(session.state).toBe('running');
    resolve(undefined);
    await cli.got('answer r1');
    cli.say(result({ user_message_uuids: [turn.id] }));
    await turn.result();
  });

  it('[S-7] is not limited after steer() has added a prompt', async () => {
    const { session, cli } = await start({ limits: { interruptTimeoutMs: 2_000 } });
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    await turn.interrupt();
    await turn.steer('rather this');
    const addition = await cli.got('prompt rather this');
    await pass(10_000);
    expect(session.state).toBe('running');
    cli.say(result({ user_message_uuids: [turn.id, addition.uuid] }));
    await turn.result();
  });

  it('[S-7] does not get more time from a shorter idle timeout', async () => {
    const { session, cli } = await start({ limits: { interruptTimeoutMs: 2_000 } });
    const turn = session.send('one', { idleTimeoutMs: 100 });
    turn.result().catch(() => {});
    await cli.got('prompt one');
    await pass(100);
    for (let i = 0; i < 10; i++) {
      cli.say(assistant('still at it'));
      await pass(190);
    }
    expect(cli.story.filter((words) => words === 'interrupt')).toHaveLength(1);
    await pass(110);
    expect(session.state).toBe('failed');
  });

  it('[S-7] is not caused by a refused interrupt if the turn ends', async () => {
    const { session, cli } = await start({}, new FakeCli({ interrupt: (fake, id) => fake.refuse(id, 'no') }));
    const turn = session.send('one', { timeoutMs: 100 });
    turn.result().catch(() => {});
    const prompt = await cli.got('prompt one');
    await pass(100);
    cli.say(result({ user_message_uuids: [prompt.uuid] }));
    await session.idle();
    await pass(10_000);
    expect(session.state).toBe('running');
  });
});

async function countRest(reader: AsyncIterator<unknown>): Promise<number> {
  let count = 0;
  while (!(await reader.next()).done) count += 1;
  return count;
}
