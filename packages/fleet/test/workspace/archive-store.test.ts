import { type ArchiveWorkspaceOptions, archiveWorkspace, folderArchive } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { checkedTree } from '../../src/workspace/archive-store.ts';

const hash = 'a'.repeat(64);
const file = (path: string): object => ({ path, kind: 'file', hash, executable: false });
const folder = (path: string): object => ({ path, kind: 'folder' });
const link = (path: string): object => ({ path, kind: 'link', target: '/etc' });

it('[F-42] a stored list of files is refused if it leads out of the folder, or is damaged', () => {
  const good = { epoch: 1, files: [folder('a'), file('a/b'), link('c'), file('..d')] };
  expect(checkedTree(good)).toEqual(good);
  const bad: readonly (readonly object[])[] = [
    [file('../x')],
    [file('/etc/x')],
    [file('a/b')],
    [folder('a'), file('a/../../x')],
    [link('a'), file('a/x')],
    [folder('a'), link('a'), file('a/x')],
    [file('a'), file('a')],
    [file('')],
    [file('a\0b')],
    [file('a\\b')],
    [{ ...file('a'), hash: '../x' }],
    [{ ...file('a'), executable: 1 }],
    [{ path: 'a', kind: 'device' }],
    [{ path: 'a', kind: 'link' }],
  ];
  for (const files of bad) expect(() => checkedTree({ epoch: 1, files }), JSON.stringify(files)).toThrow('is damaged');
  for (const other of [null, [], { epoch: '1', files: [] }, { epoch: 1 }])
    expect(() => checkedTree(other)).toThrow('is damaged');
});

it('[F-42] refuses wrong options', () => {
  const store = folderArchive('/tmp/x');
  // The types refuse these, too.
  for (const options of [
    {},
    { store: {} },
    { store, ignored: [] },
    { store, ignore: 'x' },
    { store, keep: 1.5 },
    { store, maxBytes: '1' },
    { store, directory: 'x' },
  ])
    expect(() => archiveWorkspace(options as ArchiveWorkspaceOptions), JSON.stringify(options)).toThrow(
      'Invalid argument',
    );
  expect(() => folderArchive('x')).toThrow('Invalid argument');
});
