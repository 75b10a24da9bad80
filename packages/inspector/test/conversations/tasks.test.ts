import { describe, expect, it } from 'vitest';
import { Tasks } from '../../src/conversations/state.ts';

describe('the tasks of a conversation', () => {
  it('[I-3, W-10] are listed up to a limit, and adding 50,000 does not copy the list each time', () => {
    const tasks = new Tasks();
    for (let nth = 0; nth < 50_000; nth++) tasks.open(`task-${nth}`, nth);
    expect(tasks.running).toBe(10_000);
    for (let nth = 0; nth < 50_000; nth++) tasks.close(`task-${nth}`, 'completed', nth);
    expect(tasks.running).toBe(0);
    expect(tasks.list()).toHaveLength(100);
    expect(tasks.list().at(-1)).toMatchObject({ id: 'task-9999', state: 'ended', status: 'completed' });
  });

  it('[I-3] that run again count as running', () => {
    const tasks = new Tasks();
    tasks.open('a', 1);
    tasks.close('a', null, 2);
    tasks.open('a', 3);
    expect([tasks.running, tasks.list().length]).toEqual([1, 1]);
  });
});
