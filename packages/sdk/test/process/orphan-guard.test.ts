import childProcess, { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { GUARD_SCRIPT } from '../../src/process/guard-process.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { startChild } from '../support/child-runs.ts';
import { readLine } from '../support/output.ts';
import { commandLineOf, descriptorsOf, isAlive, liveDescendants, processOf, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

const guards = (): number[] =>
  liveDescendants(process.pid).filter((pid) => commandLineOf(pid).endsWith('coxswain-orphan-guard'));

/** Waits for the guard's exit. The guard lingers for a moment in case another child starts. */
const noGuard = () => waitUntil('the last guard has exited', () => guards().length === 0);

const guarded = (onWarning?: (warning: Warning) => void) =>
  startChild(program('never-reads-stdin.sh'), {}, { orphanGuard: true, onWarning });

/** The only guard, with a pid other than `before`. */
const theGuard = (before = 0): Promise<number> =>
  waitUntil('there is one guard', () => {
    const [guard, ...others] = guards();
    return others.length === 0 && guard !== before ? guard : undefined;
  });

describe('[R-3] the guard process', () => {
  it('starts with the first child, guards all children and exits after the last', async () => {
    await noGuard();
    const first = await guarded();
    await first.endInput();
    const guard = await theGuard();
    const second = await guarded();
    await second.endInput();
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

  it('is shared by consecutive runs', async () => {
    await noGuard();
    const first = await guarded();
    await first.endInput();
    const guard = await theGuard();
    first.signal('kill');
    await first.exited;
    const second = await guarded();
    await second.endInput();
    await readLine(second.output);
    expect(guards()).toEqual([guard]);
    second.signal('kill');
    await second.exited;
  });

  it('is replaced by one that shares every stdin when a child with an open stdin starts', async () => {
    await noGuard();
    const first = await guarded();
    const before = await theGuard();
    const second = await guarded();
    const guard = await theGuard(before);
    const shared = [...descriptorsOf(guard).keys()].filter((descriptor) => descriptor > 2 && descriptor < 10);
    expect(shared).toEqual([3, 4]);
    for (const child of [first, second]) child.signal('kill');
    await Promise.all([first.exited, second.exited]);
    await noGuard();
  });

  it('does not keep the stdin of a child open after endInput()', async () => {
    const child = await startChild(program('echoes-stdin.sh'), {}, { orphanGuard: true });
    await theGuard();
    await child.endInput();
    expect(await child.exited).toMatchObject({ exitCode: 0, ended: 'by-itself' });
  });

  it('does not start if it is disabled, if the start fails, or if the child exits immediately', async () => {
    await noGuard();
    const child = await startChild(program('never-reads-stdin.sh'));
    await readLine(child.output);
    await expect(startChild(['/nowhere/claude'], {}, { orphanGuard: true })).rejects.toThrow();
    await new Promise((resolve) => setImmediate(resolve));
    expect(guards()).toEqual([]);
  });

  it('runs in a separate session and ignores signals that end other processes', async () => {
    await guarded();
    const [guard = 0] = await waitUntil('the guard runs', () => (guards().length > 0 ? guards() : undefined));
    expect(processOf(guard)).toMatchObject({ session: guard, group: guard });
    await waitUntil(
      'it reads',
      () => descriptorsOf(guard).get(0)?.startsWith('socket:') && processOf(guard)?.state === 'S',
    );
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(guard, signal);
    const later = await guarded();
    await later.endInput();
    await readLine(later.output);
    expect(guards()).toEqual([guard]);
  });

  it('does not share its pipe with a child that starts later', async () => {
    await guarded();
    await waitUntil('the guard runs', () => guards().length > 0);
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

  /** A new copy of the module, because it warns once per process. */
  async function freshGuard(): Promise<typeof import('../../src/process/orphan-guard.ts')> {
    return import('../../src/process/orphan-guard.ts');
  }

  it('warns once if /bin/sh cannot start, however often it is retried', async () => {
    const noShell: unknown = () => spawn('/nowhere/sh', { stdio: 'pipe' });
    vi.spyOn(childProcess, 'spawn').mockImplementation(noShell as typeof spawn); // One function cannot implement all overloads.
    const { guardOrphan } = await freshGuard();
    for (let times = 0; times < 2; times++) {
      const release = guardOrphan(process.pid, null, (warning) => warnings.push(warning));
      await waitUntil('it has failed', () => warnings.length > 0);
      release();
    }
    await new Promise((resolve) => setImmediate(resolve));
    expect(warnings).toMatchObject([{ code: 'orphan-guard-unavailable' }]);
  });

  it('is restarted immediately after it was killed, with all its children and without a warning', async () => {
    const { guardOrphan } = await freshGuard();
    const child = await startChild(program('starts-bash-in-own-session.mjs', 'stubborn'));
    const tree = [child.pid, ...(await readLine(child.output)).split(' ').map(Number)];
    const spawned = vi.spyOn(childProcess, 'spawn');
    onTestFinished(guardOrphan(child.pid, null, (warning) => warnings.push(warning)));
    const [old = 0] = await waitUntil('the guard runs', () => (guards().length > 0 ? guards() : undefined));
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + 1_000); // Pretend that it has run for a second.
    process.kill(old, 'SIGKILL');
    await waitUntil('there is a new one', () => guards().some((pid) => pid !== old));
    expect(tree.every(isAlive)).toBe(true);
    expect(warnings).toEqual([]);
    for (const { value } of spawned.mock.results.slice(-1)) value.stdin.end(); // Simulates the death of the host.
    await waitUntil('the tree has exited', () => !tree.some(isAlive));
  });

  it('warns once if it ends immediately, and is restarted after a second', async () => {
    const { guardOrphan } = await freshGuard();
    const starts: number[] = [];
    const broken: unknown = () => {
      starts.push(performance.now());
      return spawn('/bin/sh', ['-c', 'exit 1'], { stdio: 'pipe' });
    };
    vi.spyOn(childProcess, 'spawn').mockImplementation(broken as typeof spawn); // One function cannot implement all overloads.
    const release = guardOrphan(1_000_001, null, (warning) => warnings.push(warning));
    await waitUntil('it was tried again', () => starts.length === 2);
    release();
    expect((starts[1] ?? 0) - (starts[0] ?? 0)).toBeGreaterThan(990);
    expect(warnings).toMatchObject([{ code: 'orphan-guard-unavailable', context: { reason: 'it ended with code 1' } }]);
  });
});

describe('[R-3] the guard’s script', () => {
  const changed = (from: string, to: string): string => {
    expect(GUARD_SCRIPT).toContain(from);
    return GUARD_SCRIPT.replaceAll(from, to);
  };
  const withoutProc = changed('/proc', '/nowhere');
  const withoutLists = changed('-r /proc/$$/task/$$/children', '-r /nowhere');

  it.each([
    ['sh, reading /proc', ['/bin/sh'], GUARD_SCRIPT],
    ['sh, running ps', ['/bin/sh'], withoutProc],
    ['sh, on a kernel that does not list children', ['/bin/sh'], withoutLists],
    ['bash as sh, reading /proc', ['/bin/bash', '--posix'], GUARD_SCRIPT],
    ['bash as sh, running ps', ['/bin/bash', '--posix'], withoutProc],
  ])('kills the listed trees at EOF, but not the removed ones (%s)', async (_, [shell = '', ...flags], script) => {
    const doomed = await startChild(program('starts-bash-in-own-session.mjs', 'stubborn'));
    const spared = await startChild(program('starts-bash-in-own-session.mjs'));
    const doomedTree = [doomed.pid, ...(await readLine(doomed.output)).split(' ').map(Number)];
    const sparedTree = [spared.pid, ...(await readLine(spared.output)).split(' ').map(Number)];
    const guard = spawn(shell, [...flags, '-c', script], { stdio: ['pipe', 'ignore', 'pipe'] });
    const exited = new Promise((resolve) => guard.once('exit', resolve));
    guard.stdin.end(`+${spared.pid}\n+${doomed.pid}\n-${spared.pid}\n`);
    await exited;
    await waitUntil('the tree has exited', () => !doomedTree.some(isAlive));
    expect(sparedTree.every(isAlive)).toBe(true);
    expect((await doomed.exited).signal).toBe('SIGKILL');
  });

  it('stops every CLI and its process group, even behind a wrapper, before it searches for descendants', async () => {
    const wrapper = ['/bin/sh', '-c', 'sleep 300 & echo $!; wait'];
    const clis = [await startChild(wrapper), await startChild(wrapper), await startChild(wrapper)];
    const all = [...clis.map(({ pid }) => pid)];
    for (const { output } of clis) all.push(Number(await readLine(output)));
    const guard = spawn('/bin/sh', ['-c', changed('look\n  [', 'read -r go <&3; look\n  [')], {
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
    });
    guard.stdin?.end(clis.map(({ pid }) => `+${pid}\n`).join(''));
    await waitUntil('all are stopped', () => all.every((pid) => processOf(pid)?.state === 'T'));
    const [, , , fourth] = guard.stdio;
    if (fourth && 'end' in fourth) fourth.end('go\n');
    await waitUntil('all have exited', () => !all.some(isAlive));
  });

  it('kills a tool that starts others during the search', async () => {
    const child = await startChild(program('keeps-starting-children.mjs'));
    await waitUntil('it has started some', () => liveDescendants(child.pid).length > 5);
    const before = liveDescendants(child.pid);
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
    guard.stdin.end(`+${child.pid}\n`);
    await new Promise((resolve) => guard.once('exit', resolve));
    await waitUntil('all have exited', () => ![child.pid, ...before].some(isAlive));
  });

  it('[R-1] signals only its own groups in a PID namespace with the /proc of another one', async () => {
    const [node = '', ...args] = program('starts-bash-in-own-session.mjs');
    const child = spawn(node, args, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] });
    const exited = new Promise((resolve) => child.once('exit', (_, signal) => resolve(signal)));
    const tools = (await readLine(child.stdout)).split(' ').map(Number);
    // Simulates the namespace: the shell reads the pid of its parent instead of its own.
    const guard = spawn('/bin/sh', ['-c', changed('"$self" !=', '"$PPID" !=')], {
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    guard.stdin.end(`+${child.pid}\n`);
    await new Promise((resolve) => guard.once('exit', resolve));
    expect(await exited).toBe('SIGKILL');
    const spared = tools.filter(isAlive);
    for (const pid of spared) process.kill(pid, 'SIGKILL');
    expect(spared).toEqual(tools);
  });

  it('exits immediately if no process is listed', async () => {
    const guard = spawn('/bin/sh', ['-c', GUARD_SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] });
    guard.stdin.end('+4000000\n-4000000\n');
    expect(await new Promise((resolve) => guard.once('exit', resolve))).toBe(0);
  });
});
