import childProcess, { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GUARD_SCRIPT } from '../../src/process/guard-script.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { startChild } from '../support/child-runs.ts';
import { readLine } from '../support/output.ts';
import { commandLineOf, descriptorsOf, isAlive, liveDescendants, processOf, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

const guards = (): number[] =>
  liveDescendants(process.pid).filter((pid) => commandLineOf(pid).endsWith('coxswain-orphan-guard'));

/** It stays for a moment, in case another child comes. */
const noGuard = () => waitUntil('the last guard is gone', () => guards().length === 0);

const guarded = (onWarning?: (warning: Warning) => void) =>
  startChild(program('never-reads-stdin.sh'), {}, { orphanGuard: true, onWarning });

describe('[R-3] the guard process', () => {
  it('is one for all, comes with the first child and goes with the last', async () => {
    await noGuard();
    const first = await guarded();
    const [guard = 0] = await waitUntil('the guard is there', () => (guards().length > 0 ? guards() : undefined));
    const second = await guarded();
    await readLine(second.output);
    expect(guards()).toEqual([guard]);
    first.signal('kill');
    await first.exited;
    expect(guards()).toEqual([guard]);
    second.signal('kill');
    await second.exited;
    await noGuard();
    expect(isAlive(guard)).toBe(false);
  });

  it('is the same one for runs that follow each other', async () => {
    await noGuard();
    const first = await guarded();
    const [guard = 0] = await waitUntil('the guard is there', () => (guards().length > 0 ? guards() : undefined));
    first.signal('kill');
    await first.exited;
    const second = await guarded();
    await readLine(second.output);
    expect(guards()).toEqual([guard]);
    second.signal('kill');
    await second.exited;
  });

  it('is not started when switched off, nor for a start that fails or a child that is gone at once', async () => {
    await noGuard();
    const child = await startChild(program('never-reads-stdin.sh'));
    await readLine(child.output);
    await expect(startChild(['/nowhere/claude'], {}, { orphanGuard: true })).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(guards()).toEqual([]);
  });

  it('has a session of its own and ignores what ends other processes', async () => {
    await guarded();
    const [guard = 0] = await waitUntil('the guard is there', () => (guards().length > 0 ? guards() : undefined));
    expect(processOf(guard)).toMatchObject({ session: guard, group: guard });
    await waitUntil(
      'it reads',
      () => descriptorsOf(guard).get(0)?.startsWith('socket:') && processOf(guard)?.state === 'S',
    );
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(guard, signal);
    const later = await guarded();
    await readLine(later.output);
    expect(guards()).toEqual([guard]);
  });

  it('a child started after it holds no end of its pipe', async () => {
    await guarded();
    await waitUntil('the guard is there', () => guards().length > 0);
    const later = await guarded();
    await readLine(later.output);
    const ours = new Set([...descriptorsOf('self').values()].filter((target) => target.startsWith('socket:')));
    const shared = [...descriptorsOf(later.pid).values()].filter((target) => ours.has(target));
    expect(shared).toEqual([]);
  });
});

describe('[R-3] a guard that fails', () => {
  const warnings: Warning[] = [];

  beforeEach(async () => {
    await noGuard();
    warnings.length = 0;
    vi.resetModules();
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  /** A fresh copy of the module: what it has warned about is remembered for the whole process. */
  async function freshGuard(): Promise<typeof import('../../src/process/orphan-guard.ts')> {
    return import('../../src/process/orphan-guard.ts');
  }

  it('a /bin/sh that cannot start is one warning, however often it is tried', async () => {
    const noShell: unknown = () => spawn('/nowhere/sh', { stdio: 'pipe' });
    vi.spyOn(childProcess, 'spawn').mockImplementation(noShell as typeof spawn); // Its overloads cannot be met by one function.
    const { guardOrphan } = await freshGuard();
    for (let times = 0; times < 2; times++) {
      const release = guardOrphan(process.pid, (warning) => warnings.push(warning));
      await waitUntil('it has failed', () => warnings.length > 0);
      release();
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toMatchObject([{ code: 'orphan-guard-unavailable' }]);
  });

  it('a guard that was killed is a warning, and the next child gets a new one that knows the others too', async () => {
    const { guardOrphan } = await freshGuard();
    const warn = (warning: Warning): void => void warnings.push(warning);
    const first = guardOrphan(1_000_001, warn);
    const [guard = 0] = await waitUntil('the guard is there', () => (guards().length > 0 ? guards() : undefined));
    process.kill(guard, 'SIGKILL');
    await waitUntil('its loss is known', () => warnings.length > 0);
    const second = guardOrphan(1_000_002, warn);
    await waitUntil('there is a new one', () => guards().length === 1 && guards()[0] !== guard);
    first();
    expect(guards()).toHaveLength(1);
    second();
    await waitUntil('it is gone', () => guards().length === 0);
    expect(warnings).toMatchObject([{ code: 'orphan-guard-unavailable' }]);
  });
});

describe('[R-3] the guard’s script', () => {
  const withoutProc = GUARD_SCRIPT.replace('/proc/$$/task/$$/children', '/nowhere');

  it.each([
    ['sh, reading /proc', ['/bin/sh'], GUARD_SCRIPT],
    ['sh, asking ps', ['/bin/sh'], withoutProc],
    ['bash as sh, reading /proc', ['/bin/bash', '--posix'], GUARD_SCRIPT],
    ['bash as sh, asking ps', ['/bin/bash', '--posix'], withoutProc],
  ])('%s: ends the listed tree at EOF, and nobody it was told to forget', async (_, [shell = '', ...flags], script) => {
    expect(withoutProc).not.toBe(GUARD_SCRIPT);
    const doomed = await startChild(program('starts-bash-in-own-session.mjs', 'stubborn'));
    const spared = await startChild(program('starts-bash-in-own-session.mjs'));
    const doomedTree = [doomed.pid, ...(await readLine(doomed.output)).split(' ').map(Number)];
    const sparedTree = [spared.pid, ...(await readLine(spared.output)).split(' ').map(Number)];
    const guard = spawn(shell, [...flags, '-c', script], { stdio: ['pipe', 'ignore', 'pipe'] });
    const exited = new Promise((resolve) => guard.once('exit', resolve));
    guard.stdin.end(`+${spared.pid}\n+${doomed.pid}\n-${spared.pid}\n`);
    await exited;
    await waitUntil('the tree is gone', () => !doomedTree.some(isAlive));
    expect(sparedTree.every(isAlive)).toBe(true);
    expect((await doomed.exited).signal).toBe('SIGKILL');
  });

  it('lets a program that reacts to SIGINT leave by itself, and does not wait longer than it takes', async () => {
    const child = await startChild(program('ignores-eof-and-sigterm.mjs'));
    await readLine(child.output);
    const patient = GUARD_SCRIPT.replace('tries=10', 'tries=100');
    expect(patient).not.toBe(GUARD_SCRIPT);
    const since = performance.now();
    const guard = spawn('/bin/sh', ['-c', patient], { stdio: ['pipe', 'ignore', 'ignore'] });
    guard.stdin.end(`+${child.pid}\n`);
    expect(await child.exited).toMatchObject({ exitCode: 0, signal: null });
    await new Promise((resolve) => guard.once('exit', resolve));
    expect(performance.now() - since).toBeLessThan(5_000);
  });

  it('also ends what a program starts between SIGINT and its exit', async () => {
    const child = await startChild(program('starts-bash-on-sigint.mjs'));
    await readLine(child.output);
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
    guard.stdin.end(`+${child.pid}\n`);
    const late = Number(await readLine(child.output));
    await new Promise((resolve) => guard.once('exit', resolve));
    await waitUntil('the late one is gone', () => !isAlive(late));
  });

  it('ends at once when nobody is listed', async () => {
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
    guard.stdin.end('+4000000\n-4000000\n');
    expect(await new Promise((resolve) => guard.once('exit', resolve))).toBe(0);
  });
});
