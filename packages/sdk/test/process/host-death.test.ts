import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startHost, treeOf } from '../support/hosts.ts';
import { commandLineOf, descriptorsOf, isAlive, liveDescendants, waitUntil } from '../support/processes.ts';
import { programPath } from '../support/programs.ts';

const exited = (pids: readonly number[], ms?: number): Promise<boolean> =>
  waitUntil(`the processes ${pids} have exited`, () => !pids.some(isAlive), ms);

describe('[R-3] no process of the tree survives the end of the host by', () => {
  it.each([
    ['process.exit', 'exits.mjs', 9],
    ['an uncaught exception', 'throws.mjs', 1],
    ['an unhandled rejection', 'rejects.mjs', 1],
  ])('%s', async (_, name, code) => {
    const host = startHost(name);
    const tree = await treeOf(host);
    expect(tree).toHaveLength(3);
    expect((await host.exited).code).toBe(code);
    await exited(tree);
  });

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s, which still ends the host with that signal',
    async (signal) => {
      const host = startHost('waits.mjs', 'stubborn', 'polite');
      const trees = [...(await treeOf(host)), ...(await treeOf(host))];
      await host.line();
      expect(trees.every(isAlive)).toBe(true);
      process.kill(host.pid, signal);
      expect(await host.exited).toEqual({ code: null, signal });
      await exited(trees);
    },
  );

  // The guard takes one of the two seconds; a busy machine may take the other.
  it('SIGKILL, within 2 s, with several children, some of which ignore SIGINT', { retry: 2 }, async () => {
    const host = startHost('waits.mjs', 'guard', 'stubborn', 'polite', 'stubborn');
    const trees = [...(await treeOf(host)), ...(await treeOf(host)), ...(await treeOf(host))];
    await host.line();
    expect(trees.filter(isAlive)).toHaveLength(9);
    process.kill(host.pid, 'SIGKILL');
    await exited(trees, 2_000);
  });
});

describe('[R-3] a host killed on a busy machine', () => {
  it('dies unnoticed by the CLI until the guard acts, however late, so that no guarded tool runs', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'coxswain-eof-')), 'stdin');
    onTestFinished(() => rmSync(dirname(file), { recursive: true }));
    const host = startHost('keeps-input-open.mjs', programPath('notices-eof.mjs'), file);
    const [pid = 0] = await treeOf(host);
    const guard = await waitUntil('the guard shares the stdin', () =>
      liveDescendants(host.pid).find(
        (child) => commandLineOf(child).endsWith('coxswain-orphan-guard') && descriptorsOf(child).has(3),
      ),
    );
    process.kill(guard, 'SIGSTOP');
    process.kill(host.pid, 'SIGKILL');
    await host.exited;
    process.kill(pid, 'SIGUSR2');
    await waitUntil('the CLI has answered', () => existsSync(file) && readFileSync(file, 'utf8') !== '');
    process.kill(guard, 'SIGCONT');
    await exited([pid, guard]);
    expect(readFileSync(file, 'utf8')).toBe('open');
  });
});

describe('[R-3] a host with its own signal listeners', () => {
  it('keeps control of SIGINT, and its exit still ends the tree', async () => {
    const host = startHost('handles-sigint-itself.mjs');
    const tree = await treeOf(host);
    await host.line();
    for (let times = 0; times < 2; times++) {
      process.kill(host.pid, 'SIGINT');
      expect(await host.line()).toBe('handled');
    }
    expect(tree.every(isAlive)).toBe(true);
    host.process.stdin?.end();
    expect((await host.exited).code).toBe(5);
    await exited(tree);
  });

  const WAYS = ['once', 'on', 'prependListener', 'prependOnceListener', 'several once', 'once beside signal-exit'];
  const ORDERS = WAYS.flatMap((way) => ['before', 'after'].map((when) => ({ way, when })));

  it.each(ORDERS)(
    'runs its SIGTERM handler, registered with $way() $when the first CLI starts, to the end',
    async (order) => {
      const host = startHost('shuts-down-in-order.mjs', order.way, order.when);
      const tree = await treeOf(host);
      expect(await host.line()).toBe('waiting');
      process.kill(host.pid, 'SIGTERM');
      expect(await host.line()).toBe('the CLI was asked to exit');
      expect(await host.line()).toBe('the CLI has exited');
      expect(await host.exited).toEqual({ code: 0, signal: null });
      await exited(tree);
    },
  );

  it('is ended by a second SIGTERM during a slow once() handler, together with the tree', async () => {
    const host = startHost('shuts-down-in-order.mjs', 'once, and for ever', 'before');
    const tree = await treeOf(host);
    expect(await host.line()).toBe('waiting');
    process.kill(host.pid, 'SIGTERM');
    expect(await host.line()).toBe('the CLI was asked to exit');
    expect(tree.every(isAlive)).toBe(true);
    process.kill(host.pid, 'SIGTERM');
    expect(await host.exited).toEqual({ code: null, signal: 'SIGTERM' });
    await exited(tree);
  });

  it.each(['before', 'after'])('is still ended by Ctrl-C if it loaded signal-exit %s the SDK', async (when) => {
    const host = startHost('beside-signal-exit.mjs', when);
    const tree = await treeOf(host);
    await host.line();
    process.kill(host.pid, 'SIGINT');
    expect(await host.exited).toEqual({ code: null, signal: 'SIGINT' });
    await exited(tree);
  });
});

describe('[R-6] a host that has nothing left to do', () => {
  it.each(['unref', 'end'])('exits before its child (%s), and the tree ends with it', async (how) => {
    const host = startHost('unrefs.src.mjs', how);
    const tree = await treeOf(host);
    const since = performance.now();
    expect((await host.exited).code).toBe(0);
    expect(performance.now() - since).toBeLessThan(5_000);
    await exited(tree);
  });

  it('stays alive until the exit report if it awaits it later', async () => {
    const host = startHost('unrefs-then-waits.src.mjs');
    const tree = await treeOf(host);
    expect(await host.line()).toBe('interrupted');
    expect((await host.exited).code).toBe(0);
    await exited(tree);
  });
});
