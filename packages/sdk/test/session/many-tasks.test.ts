import { describe, expect, it } from 'vitest';
import { MOST_TASKS, noTasks, taskEvents, trackTasks } from '../../src/conversation/background-tasks.ts';
import { startMachine, transition } from '../../src/query/stream-machine.ts';
import type { Message } from '../../src/wire/messages.ts';
import { start } from '../support/fake-cli.ts';

const FLOOD = 100_000;

function started(id: string): Message {
  return { type: 'system', subtype: 'task_started', task_id: id } as Message; // Only these fields are read.
}

function over(id: string, fields: object = {}): Message {
  return { type: 'system', subtype: 'task_notification', task_id: id, status: 'completed', ...fields } as Message; // The same.
}

describe('a flood of background tasks', () => {
  it(`[W-10] of ${FLOOD} frames is tracked up to a limit, without a copy per frame`, () => {
    let tasks = noTasks;
    let events = 0;
    const take = (message: Message): void => {
      const next = trackTasks(tasks, message);
      events += taskEvents(tasks, next, message).length;
      tasks = next;
    };
    for (let nth = 0; nth < FLOOD; nth++) take(started(`task-${nth}`));
    expect(tasks.open.size).toBe(MOST_TASKS);
    expect(events).toBe(MOST_TASKS);
    for (let nth = 0; nth < FLOOD; nth++) take(over(`task-${nth}`, { output_file: '/f', tool_use_id: `call-${nth}` }));
    expect(tasks.open.size).toBe(0);
    expect(tasks.owed.size).toBe(MOST_TASKS);
    const results = Array.from({ length: FLOOD }, (_, nth) => ({ type: 'tool_result', tool_use_id: `call-${nth}` }));
    take({ type: 'user', message: { role: 'user', content: results } } as unknown as Message); // The same.
    expect(tasks.owed.size).toBe(0);
    expect(tasks.owedByCall.size).toBe(0);
  });

  it('[W-10] keeps ids only up to a maximum length', () => {
    const tasks = trackTasks(noTasks, started('x'.repeat(1_000_000)));
    expect(tasks.open.size).toBe(0);
  });

  it(`[W-10] is tracked up to the same limit by a query`, () => {
    let machine = startMachine({ waitForBackground: true, maxLateMessages: 10 });
    for (let nth = 0; nth < FLOOD; nth++) ({ machine } = transition(machine, { type: 'task-opened', id: `t${nth}` }));
    expect(machine.tasks.size).toBe(MOST_TASKS);
    for (let nth = 0; nth < FLOOD; nth++) ({ machine } = transition(machine, { type: 'task-closed', id: `t${nth}` }));
    expect(machine.tasks.size).toBe(0);
  });

  it('[W-10, S-4] of 12,000 in a session is opened and closed, and idle() waits for the last one', async () => {
    const { session, cli, events } = await start();
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    for (let nth = 0; nth < 12_000; nth++) cli.say(started(`task-${nth}`));
    cli.finish(prompt);
    await turn.result();
    let idle = false;
    const waited = session.idle().then(() => {
      idle = true;
    });
    for (let nth = 0; nth < 11_999; nth++) cli.say(over(`task-${nth}`, { status: 'stopped' }));
    expect(idle).toBe(false);
    cli.say(over('task-11999', { status: 'stopped' }));
    await waited;
    const count = (type: string): number => events.filter((event) => event.type === type).length;
    expect([count('task-opened'), count('task-closed')]).toEqual([MOST_TASKS, MOST_TASKS]);
  });
});
