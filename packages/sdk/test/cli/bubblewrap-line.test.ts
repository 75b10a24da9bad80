import { describe, expect, it } from 'vitest';
import { bubblewrapLine, type Cell, namespacesFor, probeLine } from '../../src/cli/bubblewrap-line.ts';

const cell: Cell = {
  bubblewrap: { program: '/usr/bin/bwrap', namespaces: ['--unshare-user'] },
  isRoot: false,
  home: '/home/ann',
  mounts: {
    readable: [{ path: '/opt/cli', real: '/opt/releases/1' }],
    writable: [{ path: '/home/ann/work', real: '/home/ann/work' }],
    aliases: [{ path: '/tools', real: '/home/ann/work/tools' }],
  },
  links: ['/home/ann/.claude/skills'],
  privateFolders: [{ path: '/tmp/run', real: '/tmp/run' }],
  cwd: '/home/ann/work',
  variables: { TMPDIR: '/tmp' },
};

/** The position of consecutive arguments; fails if they are missing. */
function at(line: readonly string[], ...part: readonly string[]): number {
  const found = line.findIndex((_, index) => part.every((word, offset) => line[index + offset] === word));
  expect(found, part.join(' ')).toBeGreaterThan(-1);
  return found;
}

describe('the command line of bubblewrap', () => {
  it('[C-14] mounts files and folders at their given and at their real paths, over the empty folders', () => {
    const line = bubblewrapLine(cell);
    const order = [
      at(line, '--tmpfs', '/tmp'),
      at(line, '--tmpfs', '/home/ann'),
      at(line, '--ro-bind', '/opt/releases/1', '/opt/releases/1', '--ro-bind', '/opt/releases/1', '/opt/cli'),
      at(line, '--ro-bind', '/home/ann/.claude/skills', '/home/ann/.claude/skills'),
      at(line, '--bind', '/home/ann/work', '/home/ann/work'),
      at(line, '--symlink', '/home/ann/work/tools', '/tools'),
      at(line, '--ro-bind', '/tmp/run', '/tmp/run'),
      at(line, '--remount-ro', '/', '--chdir', '/home/ann/work', '--'),
    ];
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(line.slice(-1)).toEqual(['--']);
    at(line, '--setenv', 'TMPDIR', '/tmp');
  });

  it('[C-14] limits the size of each folder that is in memory', () => {
    for (const home of ['/home/ann', '/', undefined]) {
      const line = bubblewrapLine({ ...cell, home });
      const folders = line.flatMap((word, index) => (word === '--tmpfs' ? [index] : []));
      expect(folders.map((index) => line[index + 1])).toEqual([
        '/dev/shm',
        '/tmp',
        ...(home === '/home/ann' ? [home] : []),
      ]);
      for (const index of folders) expect(line.slice(index - 2, index)).toEqual(['--size', '536870912']);
      // The folder around `/dev/shm` has no limit.
      expect(at(line, '--remount-ro', '/dev')).toBeGreaterThan(at(line, '--tmpfs', '/dev/shm'));
    }
  });

  it.each([
    ['host', false],
    ['none', true],
    [{ proxy: '/run/proxy.sock' }, true],
    [undefined, false],
  ] as const)('[C-15] with the network %j, has one of its own: %j', (network, own) => {
    for (const namespaces of namespacesFor({ network }, false)) {
      expect(namespaces.includes('--unshare-net')).toBe(own);
      for (const word of ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--die-with-parent', '--cap-drop'])
        expect(namespaces).toContain(word);
    }
  });

  it('[C-14] forbids further user namespaces where bubblewrap can, except for the sandbox of the CLI', () => {
    const forbids = (nests: boolean) =>
      namespacesFor({}, nests).map((namespaces) => namespaces.includes('--disable-userns'));
    expect(forbids(false)).toEqual([true, false]);
    expect(forbids(true)).toEqual([false]);
  });

  it('[C-14] has the namespaces that were probed', () => {
    expect(probeLine(cell.bubblewrap).slice(0, 2)).toEqual(bubblewrapLine(cell).slice(0, 2));
  });

  it('[C-14] keeps root from changing the kernel', () => {
    at(bubblewrapLine({ ...cell, isRoot: true }), '--ro-bind', '/proc/sys', '/proc/sys');
    expect(bubblewrapLine(cell)).not.toContain('/proc/sys');
  });
});
