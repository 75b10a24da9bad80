import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { passPrivateFiles, privateFolder } from '../../src/process/private-files.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { requestFor, startChild } from '../support/child-runs.ts';
import { readAll, readLine } from '../support/output.ts';
import { commandLineOf, descriptorsOf, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

const SECRET = 'sk-ant-api03-very-secret-value';
const settings = { argvIndex: 3, name: 'settings.json', content: SECRET };

let temporary: string;
const earlier = process.env.TMPDIR;

beforeEach(() => {
  temporary = mkdtempSync(join(earlier ?? '/tmp', 'coxswain-test-'));
  process.env.TMPDIR = temporary;
});

afterEach(() => {
  rmSync(temporary, { recursive: true, force: true });
  if (earlier === undefined) delete process.env.TMPDIR;
  else process.env.TMPDIR = earlier;
});

const noWarning = (warning: Warning): void => expect.unreachable(warning.message);

describe('[C-10] private files on Linux', () => {
  it('[C-10, O-9] a file that the CLI may read again has a name until the CLI has exited', () => {
    const again = { argvIndex: 1, name: 'again.json', content: 'rules', named: true, reread: true };
    const request = { argv: ['claude', '', '--settings', ''], privateFiles: [again, { ...settings, named: true }] };
    const { argv, read, remove } = passPrivateFiles(request, noWarning);
    expect(readFileSync(argv[3] ?? '', 'utf8')).toBe(SECRET);
    read();
    expect(readFileSync(argv[1] ?? '', 'utf8')).toBe('rules');
    expect(readdirSync(dirname(argv[1] ?? ''))).toEqual(['again.json']);
    remove();
    expect(readdirSync(temporary)).toEqual([]);
  });

  it('can be read completely and repeatedly by the child, have the mode 0600 and are not in argv', async () => {
    const child = await startChild([...program('prints-file.sh', '--settings'), 'PATH'], { privateFiles: [settings] });
    const [mode, contents, commandLine] = (await readAll(child.output))
      .replace(SECRET + SECRET, `${SECRET.repeat(2)}\n`)
      .split('\n');
    expect(mode).toBe('600');
    expect(contents).toBe(SECRET + SECRET);
    expect(commandLine).toContain('--settings /dev/fd/3');
    expect(commandLine).not.toContain(SECRET);
  });

  it('are not on disk while the child runs, and are unreadable and closed once it has printed JSON', async () => {
    const says =
      'echo banner; read -r go; cat "$1"; echo; read -r go; echo "{}"; read -r go; echo "now: $(cat "$1")"; exec cat';
    const child = await startChild(['/bin/sh', '-c', says, 'sh', 'PATH'], {
      privateFiles: [{ ...settings, argvIndex: 4 }],
    });
    const held = (): string[] =>
      [...descriptorsOf('self').values()].filter((target) => target.includes('settings.json'));
    const next = async (): Promise<string> => {
      await child.write('go\n');
      return readLine(child.output);
    };
    // A wrapper script may print this before it starts the CLI.
    expect(await readLine(child.output)).toBe('banner');
    expect(readdirSync(temporary)).toEqual([]);
    expect(descriptorsOf(child.pid).get(3)).toMatch(/settings\.json \(deleted\)$/);
    expect(await next()).toBe(SECRET);
    expect(await next()).toBe('{}');
    expect(held()).toEqual([]);
    expect(await next()).toBe('now: ');
    expect(commandLineOf(child.pid)).not.toContain(SECRET);
  });

  it('have one descriptor each', async () => {
    const child = await startChild(['/bin/cat', 'B', 'A'], {
      privateFiles: [
        { argvIndex: 2, name: 'a', content: 'first ' },
        { argvIndex: 1, name: 'b', content: 'second ' },
      ],
    });
    expect(await readAll(child.output)).toBe('second first ');
  });

  it('that cannot be written cause a SpawnError with the reason private-file, without the content', async () => {
    process.env.TMPDIR = '/nowhere/at/all';
    const failing = startChild(['/bin/cat', 'PATH'], { privateFiles: [{ ...settings, argvIndex: 1 }] });
    const error = await failing.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'spawn', reason: 'private-file' });
    expect(JSON.stringify(error)).not.toContain(SECRET);
  });

  it('and their descriptors do not survive a failed start', async () => {
    const before = descriptorsOf('self').size;
    await expect(
      startChild(['/nowhere/claude', 'PATH'], { privateFiles: [{ ...settings, argvIndex: 1 }] }),
    ).rejects.toThrow();
    await expect(
      startChild(['/bin/true', 'A', 'B'], {
        privateFiles: [
          { ...settings, argvIndex: 1 },
          { ...settings, argvIndex: 2 },
        ],
      }),
    ).rejects.toMatchObject({ reason: 'private-file' });
    expect(readdirSync(temporary)).toEqual([]);
    expect([...descriptorsOf('self').values()].filter((target) => target.includes('settings.json'))).toEqual([]);
    await waitUntil('the pipes are closed', () => descriptorsOf('self').size <= before, 2_000);
  });
});

describe('[C-10] private files on other systems', () => {
  const request = requestFor(['claude', '--settings', 'PATH'], { privateFiles: [{ ...settings, argvIndex: 2 }] });

  it('are in a separate folder that only this user can access, until the child exits', () => {
    const exitListeners = process.listenerCount('exit');
    const files = passPrivateFiles(request, noWarning, 'folder');
    const path = files.argv[2] ?? '';
    expect(files.descriptors).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(SECRET);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(dirname(dirname(path))).toBe(tmpdir());
    expect(process.listenerCount('exit')).toBe(exitListeners + 1);
    files.remove();
    expect(readdirSync(temporary)).toEqual([]);
    expect(process.listenerCount('exit')).toBe(exitListeners);
  });

  it('cause old folders of dead hosts to be removed, but not new ones, those of running hosts, or other files', () => {
    const longAgo = new Date(Date.now() - 2 * 60 * 60_000);
    const folders = {
      stale: 'coxswain-999999999-abc123',
      young: 'coxswain-999999998-abc123',
      living: `coxswain-${process.ppid}-abc123`,
      foreign: 'coxswain-notes',
    };
    for (const [kind, name] of Object.entries(folders)) {
      mkdirSync(join(temporary, name));
      if (kind !== 'young') utimesSync(join(temporary, name), longAgo, longAgo);
    }
    passPrivateFiles(request, noWarning, 'folder').remove();
    expect(readdirSync(temporary).sort()).toEqual([folders.young, folders.living, folders.foreign].sort());
  });

  it('keep their folder recent for hosts that cannot see this process', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = privateFolder(noWarning);
    vi.setSystemTime(Date.now() + 3 * 3_600_000);
    vi.advanceTimersByTime(15 * 60_000);
    expect(Date.now() - statSync(folder.path).mtimeMs).toBeLessThan(1_000);
    folder.remove();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('cause a warning with the path if their folder cannot be removed', () => {
    const warnings: Warning[] = [];
    const files = passPrivateFiles(request, (warning) => warnings.push(warning), 'folder');
    const folder = dirname(files.argv[2] ?? '');
    rmSync(temporary, { recursive: true });
    // A link to itself: nothing below it can be removed or reported as missing.
    symlinkSync(temporary, temporary);
    files.remove();
    expect(warnings).toMatchObject([{ code: 'private-file-left', context: { folder } }]);
  });
});
