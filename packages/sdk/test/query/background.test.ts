import { describe, expect, it } from 'vitest';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';
import { inMemory, type MemoryTransport } from '../support/memory-transport.ts';
import { assistant, INIT, type Run, result } from '../support/say.ts';

fakeClock();

const OPENED = { type: 'system', subtype: 'task_started', task_id: 'a' };
const CLOSED = { type: 'system', subtype: 'task_notification', task_id: 'a', status: 'completed' };
const SECOND = result({ result: 'the answer', origin: { kind: 'task-notification' } });

/** A run that is being read: its items, and whether it has ended. */
interface Reading extends Run {
  readonly transport: MemoryTransport;
  readonly seen: string[];
  ended: boolean;
}

async function read(options: AgentOptions = {}): Promise<Reading> {
  const run = inMemory(options);
  const reading: Reading = Object.assign(run, { seen: [] as string[], ended: false });
  void (async () => {
    for await (const item of run.stream.items()) {
      if (item.kind === 'message')
        reading.seen.push('subtype' in item.message ? String(item.message.subtype) : item.message.type);
      if (item.kind === 'warning') reading.seen.push(item.warning.code);
    }
    reading.ended = true;
  })();
  await run.stream.started;
  return reading;
}

describe('a result with open background work', () => {
  it('[Q-8] continues the run to the second result; result() and text() return the last one, results all', async () => {
    const run = await read();
    const text = run.stream.text();
    run.transport.say(INIT, OPENED, result({ result: 'launched' }));
    await pass(60_000);
    expect(run.stream.state).toBe('result-received');
    run.transport.say(assistant('meanwhile'), CLOSED);
    await pass(0);
    run.transport.say(INIT, assistant('more'), SECOND);
    await pass(0);
    expect(run.stream.state).toBe('pending-end');
    run.transport.end();
    await pass(0);
    expect(run.ended).toBe(true);
    expect(run.seen).toEqual([
      'init',
      'task_started',
      'success',
      'assistant',
      'task_notification',
      'init',
      'assistant',
      'success',
    ]);
    expect(run.stream.results).toEqual([result({ result: 'launched' }), SECOND]);
    expect(await run.stream.result()).toEqual(SECOND);
    expect(await text).toBe('the answer');
    expect(run.warnings).toEqual([]);
  });

  it('[Q-8] is judged by the last background_tasks_changed', async () => {
    const list = (...ids: string[]) => ({
      type: 'system',
      subtype: 'background_tasks_changed',
      tasks: ids.map((task_id) => ({ task_id })),
    });
    const run = await read();
    run.transport.say(list('a', 'b'), result());
    await pass(5_000);
    expect(run.stream.state).toBe('result-received');
    run.transport.say(list());
    await pass(0);
    expect(run.stream.state).toBe('pending-end');
  });

  it('[Q-8] keeps the run open while the session state is not idle, and hides host-only messages', async () => {
    const state = (name: string) => ({
      type: 'system',
      subtype: 'session_state_changed',
      state: name,
      sdk_host_only: true,
    });
    const run = await read();
    run.transport.say(state('running'), result());
    await pass(5_000);
    expect(run.stream.state).toBe('result-received');
    run.transport.say(state('idle'));
    await pass(0);
    expect(run.stream.state).toBe('pending-end');
    expect(run.seen).toEqual(['success']);
  });

  it('[Q-8] is waited for at most 10 minutes; then a warning lists the tasks, and the CLI is ended', async () => {
    const run = await read();
    run.transport.say(OPENED, result());
    await pass(10 * 60_000 - 1);
    expect(run.stream.state).toBe('result-received');
    await pass(1);
    expect(run.seen.at(-1)).toBe('background-tasks-abandoned');
    expect(run.warnings).toMatchObject([{ code: 'background-tasks-abandoned', context: { tasks: ['a'] } }]);
    await pass(1_000);
    expect(run.ended).toBe(true);
    expect(await run.stream.text()).toBe('done');
  });

  it('[Q-8] is waited for at most limits.backgroundWaitMs after the first result', async () => {
    const run = await read({ limits: { backgroundWaitMs: 1_000 } });
    run.transport.say(OPENED, result());
    await pass(900);
    run.transport.say(assistant('still here'), result());
    await pass(99);
    expect(run.warnings).toEqual([]);
    await pass(1);
    expect(run.warnings).toMatchObject([{ code: 'background-tasks-abandoned' }]);
  });

  it('[Q-8] ends the run immediately with backgroundWaitMs 0', async () => {
    const run = await read({ limits: { backgroundWaitMs: 0 } });
    run.transport.say(OPENED, result());
    await pass(0);
    expect(run.stream.state).toBe('pending-end');
    await pass(1_000);
    expect(run.ended).toBe(true);
    expect(run.warnings).toEqual([]);
  });

  it('[Q-8] ends the run if the CLI exits', async () => {
    const run = await read();
    run.transport.say(OPENED, result());
    run.transport.end();
    await pass(0);
    expect(run.ended).toBe(true);
    expect(run.warnings).toEqual([]);
  });
});

describe('the drain after the last result', () => {
  it('[Q-8] takes at most 1 s if the CLI does not exit; its grace period follows', async () => {
    const run = await read();
    run.transport.say(INIT, result());
    await pass(999);
    expect(run.ended).toBe(false);
    expect(run.stream.state).toBe('pending-end');
    await pass(1);
    expect(run.ended).toBe(true);
    expect(run.stream.state).toBe('closed');
    expect(run.warnings).toEqual([]);
    expect(run.transport.signals).toEqual([]);
    await pass(4_999);
    expect(run.transport.signals).toEqual([]);
    await pass(1);
    expect(run.transport.signals).toEqual(['interrupt']);
  });

  it('[Q-8] ends without a pending pull', async () => {
    const run = inMemory();
    await run.stream.started;
    run.transport.say(result());
    const iterator = run.stream[Symbol.asyncIterator]();
    expect((await iterator.next()).value).toMatchObject({ type: 'result' });
    await pass(1_000);
    expect(run.stream.state).toBe('closed');
    expect(await iterator.next()).toEqual({ value: undefined, done: true });
  });

  it('[Q-8] reports late messages as warnings, except kinds that usually follow a result', async () => {
    const run = await read();
    run.transport.say(result(), assistant('late'), { type: 'rate_limit_event' }, { type: 'command_lifecycle' });
    await pass(500);
    run.transport.say(assistant('later'));
    run.transport.end();
    await pass(0);
    const late = 'unexpected-message-after-result';
    expect(run.seen).toEqual(['success', late, 'rate_limit_event', 'command_lifecycle', late]);
    expect(run.warnings.map(({ context }) => context.message)).toEqual([assistant('late'), assistant('later')]);
    expect(run.ended).toBe(true);
  });

  it('[Q-8] only counts late messages after the tenth', async () => {
    const run = await read();
    run.transport.say(result(), ...Array.from({ length: 25 }, (_, n) => assistant(String(n))));
    await pass(0);
    expect(run.seen).toHaveLength(11);
    await pass(1_000);
    expect(run.ended).toBe(true);
    expect(run.seen).toHaveLength(12);
    expect(run.warnings.at(-1)).toMatchObject({ code: 'output-after-end', context: { count: 25 } });
  });

  it('[Q-8] waits for work that starts during the drain', async () => {
    const run = await read();
    run.transport.say(result());
    await pass(500);
    run.transport.say(OPENED);
    await pass(5_000);
    expect(run.ended).toBe(false);
    run.transport.say(CLOSED, SECOND);
    run.transport.end();
    await pass(0);
    expect(run.ended).toBe(true);
    expect(await run.stream.text()).toBe('the answer');
  });
});
