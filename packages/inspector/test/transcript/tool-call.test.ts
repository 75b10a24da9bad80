import { expect, it } from 'vitest';
import { diffOf } from '../../src/transcript/tool-call.ts';

const changed = (tool: string, input: Readonly<Record<string, unknown>>): readonly string[] =>
  diffOf(tool, { file_path: '/boat.ts', ...input }, undefined)?.diff.hunks.flatMap(({ lines }) => lines) ?? [];

it('a line break at the end of a file or fragment begins no further line', () => {
  expect(changed('Write', { content: 'hello\nworld\n' })).toEqual(['+hello', '+world']);
  expect(changed('Write', { content: 'hello\n\n' })).toEqual(['+hello', '+']);
  expect(changed('Edit', { old_string: 'a\nb\n', new_string: '' })).toEqual(['-a', '-b']);
  expect(changed('Edit', { old_string: 'a\n', new_string: 'b\n' })).toEqual(['-a', '+b']);
});

it('a line break that is removed from the end is a change', () => {
  expect(changed('Edit', { old_string: 'a\n', new_string: 'a' })).toEqual([' a', '-']);
});
