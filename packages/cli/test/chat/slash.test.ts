import { describe, expect, it } from 'vitest';
import { parseLine } from '../../src/chat/slash.ts';

describe('a line of a chat', () => {
  it.each([
    ['  ', { kind: 'nothing' }],
    ['/exit', { kind: 'exit' }],
    ['/quit', { kind: 'exit' }],
    [' /clear ', { kind: 'clear' }],
    ['/cost', { kind: 'cost' }],
    ['/model', { kind: 'model', name: undefined }],
    ['/model  opus', { kind: 'model', name: 'opus' }],
    ['/compact now', { kind: 'prompt', text: '/compact now' }],
    [' hello\nthere ', { kind: 'prompt', text: 'hello\nthere' }],
  ])('[L-1] %j', (line, expected) => expect(parseLine(line)).toEqual(expected));
});
