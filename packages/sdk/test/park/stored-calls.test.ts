import { describe, expect, it } from 'vitest';
import { StoredCalls } from '../../src/park/stored-calls.ts';
import { call, result } from './transcript.ts';

describe('StoredCalls', () => {
  it('[G-8] contains the calls without a result, and returns those that get one', () => {
    const calls = new StoredCalls();
    expect(calls.note([call('a'), call('b', { tool: 'Write' })])).toEqual([]);
    expect(calls.note([result('a'), result('unknown')])).toEqual(['a']);
    expect([calls.has('a'), calls.has('b'), calls.tools]).toEqual([false, true, ['Write']]);
  });

  it('[W-10] is bounded and reads each entry once, however many calls never get a result', () => {
    const calls = new StoredCalls();
    let blocks = 0;
    for (let nth = 0; nth < 30_000; nth += 1) {
      const entry = call(`id-${nth}`);
      const message = Object(entry.message);
      calls.note([
        {
          ...entry,
          message: {
            ...message,
            get content() {
              blocks += 1;
              return message.content;
            },
          },
        },
      ]);
    }
    expect(blocks).toBe(30_000);
    expect(calls.tools).toHaveLength(10_000);
    expect([calls.has('id-0'), calls.has('id-29999')]).toEqual([false, true]);
  });
});
