import { expect, it } from 'vitest';
import { diffOf } from '../../src/transcript/tool-diff.ts';

const PLAIN = { redact: (text: string) => text, storeFullText: () => 'api/part' };

const changed = (tool: string, input: Readonly<Record<string, unknown>>): readonly string[] =>
  diffOf({ tool, input: { file_path: '/boat.ts', ...input } }, PLAIN)?.hunks.flatMap(({ lines }) => lines) ?? [];

it('a line break at the end of a file or fragment does not begin another line', () => {
  expect(changed('Write', { content: 'hello\nworld\n' })).toEqual(['+hello', '+world']);
  expect(changed('Write', { content: 'hello\n\n' })).toEqual(['+hello', '+']);
  expect(changed('Edit', { old_string: 'a\nb\n', new_string: '' })).toEqual(['-a', '-b']);
  expect(changed('Edit', { old_string: 'a\n', new_string: 'b\n' })).toEqual(['-a', '+b']);
});

it('removing a line break at the end is a change', () => {
  expect(changed('Edit', { old_string: 'a\n', new_string: 'a' })).toEqual([' a', '-']);
});

const diff = (tool: string, input: Readonly<Record<string, unknown>>, before?: string | null) =>
  diffOf({ tool, input: { file_path: '/boat.ts', ...input }, before }, PLAIN);

it('[I-8] an edit with its file has line numbers and context lines', () => {
  const file = 'one\ntwo\nthree\nfour\nfive\nsix\n';
  expect(diff('Edit', { old_string: 'five', new_string: '5' }, file)?.hunks).toEqual([
    { oldStart: 2, newStart: 2, leftOut: 1, lines: [' two', ' three', ' four', '-five', '+5', ' six'] },
  ]);
  const edits = [
    { old_string: 'one', new_string: 'zero\none' },
    { old_string: 'zero', new_string: '0' },
    { old_string: 'i', new_string: 'I', replace_all: true },
  ];
  expect(diff('MultiEdit', { edits }, file)).toMatchObject({ added: 3, removed: 2, created: false });
  // The edit does not fit the file, so only its own lines are known.
  expect(diff('Edit', { old_string: 'nine', new_string: '9' }, file)?.hunks).toMatchObject([{ oldStart: null }]);
  expect(diff('Edit', { old_string: 'e', new_string: '$&' }, file)?.hunks).toMatchObject([{ lines: ['-e', '+$&'] }]);
});

it('[I-8] writing a file shows the replaced content, that the file is new, or that this is unknown', () => {
  const input = { content: 'one\n2\n' };
  expect(diff('Write', input, 'one\ntwo\n')).toMatchObject({ created: false, added: 1, removed: 1 });
  expect(diff('Write', input, null)).toMatchObject({ created: true, added: 2, removed: 0 });
  expect(diff('Write', input)).toMatchObject({ created: null, added: 2, removed: 0 });
});

it('[I-8] an edit of a notebook shows the cell, even if it deletes it', () => {
  const cells = [
    { id: 'a', source: ['x = 1\n', 'y = 2'] },
    { cell_type: 'code', source: 'print(x)' },
  ];
  const notebook = JSON.stringify({ cells });
  const edit = (input: object) =>
    diff('NotebookEdit', { notebook_path: '/n.ipynb', ...input }, notebook)?.hunks.flatMap(({ lines }) => lines);
  expect(edit({ cell_id: 'a', new_source: 'x = 1\ny = 3' })).toEqual([' x = 1', '-y = 2', '+y = 3']);
  expect(edit({ cell_id: 'cell-1', edit_mode: 'delete', new_source: '' })).toEqual(['-print(x)']);
  expect(edit({ cell_id: 'a', edit_mode: 'insert', new_source: 'z' })).toEqual(['+z']);
  expect(diff('NotebookEdit', { cell_id: 'a', edit_mode: 'delete', new_source: '' }, 'no notebook')).toBe(null);
});

it('[I-5, I-8] diffOf removes secrets before comparing, because one may span lines', () => {
  const redact = (text: string): string => text.replaceAll('begin\nkey\nend', '[redacted]');
  const call = { tool: 'Edit', input: { file_path: '/k', old_string: 'last', new_string: 'end.' } };
  const [hunk] = diffOf({ ...call, before: 'begin\nkey\nend\nlast\n' }, { ...PLAIN, redact })?.hunks ?? [];
  // The line numbers are not those of the file.
  expect(hunk).toEqual({ oldStart: null, newStart: null, leftOut: 0, lines: [' [redacted]', '-last', '+end.'] });
});
