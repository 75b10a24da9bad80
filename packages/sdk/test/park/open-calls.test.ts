import { describe, expect, it } from 'vitest';
import { isCallId, openCalls } from '../../src/park/open-calls.ts';
import { call, result, textEntry } from './transcript.ts';

describe('openCalls', () => {
  it('[G-8] returns the calls of the main chain without a result, with their messages and entries', () => {
    const open = call('b', { tool: 'Write', message: 'msg_2' });
    const entries = [textEntry('user', 'go'), call('a'), result('a'), open, call('c', { isSidechain: true })];
    expect([...openCalls(entries).values()]).toEqual([{ id: 'b', tool: 'Write', message: 'msg_2', entry: open }]);
  });

  it('[G-8] ignores results of subagents, and unknown entries', () => {
    const strange = [
      { type: 'x' },
      { type: 'user', message: 'text' },
      { type: 'assistant', message: { content: [7, null] } },
    ];
    expect([...openCalls([call('a'), result('a', { isSidechain: true }), ...strange]).keys()]).toEqual(['a']);
  });
});

describe('isCallId', () => {
  it.each(['toolu_01AbC-x', 'call_9'])('[G-9] accepts %s', (id) => expect(isCallId(id)).toBe(true));

  it.each(['', "'; rm -rf /; '", '$(id)', 'a b', 'a\nb', '*', 'x'.repeat(201), undefined, 7])(
    '[G-9] refuses a value that is unsafe in a shell command: %j',
    (id) => expect(isCallId(id)).toBe(false),
  );
});
