import { spawn } from 'node:child_process';
import { script, scriptedCli } from '@coxswain/testkit';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Host, startHostAfter, startHostWith, treeOf } from '../support/hosts.ts';
import { isAlive, waitUntil } from '../support/processes.ts';

const exited = (pids: readonly number[]): Promise<boolean> =>
  waitUntil(`the processes ${pids} have exited`, () => !pids.some(isAlive));

describe('[R-1, R-3] a host without a readable /proc', () => {
  it.each([
    ['process.exit', 'exits.mjs', 9],
    ['an uncaught exception', 'throws.mjs', 1],
  ])('is ended by %s as usual, together with the CLI', async (_, name, code) => {
    const host = startHostAfter('no-proc.mjs', name);
    const [cli = 0] = await treeOf(host);
    expect(await host.exited).toEqual({ code, signal: null });
    await exited([cli]);
  });

  it('is ended by SIGTERM, together with the CLI', async () => {
    const host = startHostAfter('no-proc.mjs', 'waits.mjs', 'stubborn');
    const [cli = 0] = await treeOf(host);
    expect(await host.line()).toBe('waiting');
    process.kill(host.pid, 'SIGTERM');
    expect(await host.exited).toEqual({ code: null, signal: 'SIGTERM' });
    await exited([cli]);
  });

  it('runs a query, which ends immediately and warns', async () => {
    await using cli = await scriptedCli(script().onPrompt('hello', (turn) => turn.say('Hi.').result()));
    const host = startHostAfter('no-proc.mjs', 'asks.mjs', cli.path);
    expect(await host.line()).toBe('Hi. process-tree-unseen');
    const since = performance.now();
    expect((await host.exited).code).toBe(0);
    expect(performance.now() - since).toBeLessThan(4_500);
  });
});

describe('[R-1, R-3] a host in a PID namespace with the /proc of the outer one', () => {
  it('ends its CLI, but no outer process with the same pid', async () => {
    const stranger = spawn('/bin/sh', ['-c', 'sleep 300 & wait'], { detached: true, stdio: 'ignore' });
    const strangerExited = new Promise((resolve) => stranger.once('exit', resolve));
    onTestFinished(async () => {
      process.kill(-(stranger.pid ?? 0), 'SIGKILL');
      await strangerExited;
    });
    process.env.FOREIGN_PID = String(stranger.pid);
    onTestFinished(() => void delete process.env.FOREIGN_PID);
    const host = startHostAfter('foreign-proc.mjs', 'waits.mjs', 'stubborn');
    const [cli = 0] = await treeOf(host);
    expect(await host.line()).toBe('waiting');
    process.kill(host.pid, 'SIGTERM');
    expect(await host.exited).toEqual({ code: null, signal: 'SIGTERM' });
    await exited([cli]);
    expect(isAlive(stranger.pid ?? 0)).toBe(true);
  });
});

describe('[R-3] a host without free descriptors', () => {
  const DESCRIPTORS = 64;

  async function exhausted(how: string): Promise<{ host: Host; tree: readonly number[] }> {
    const host = startHostWith(DESCRIPTORS, 'runs-out-of-descriptors.mjs');
    const tree = await treeOf(host);
    expect(await host.line()).toBe('waiting');
    expect(tree.filter(isAlive)).toHaveLength(3);
    host.process.stdin?.write(how);
    expect(await host.line()).toBe('EMFILE');
    return { host, tree };
  }

  it.each([
    { how: 'exit', code: 3, signal: null },
    { how: 'throw', code: 1, signal: null },
    { how: 'SIGTERM', code: null, signal: 'SIGTERM' },
    { how: 'SIGINT', code: null, signal: 'SIGINT' },
  ])('leaves no tool of its CLI after its death by $how', async ({ how, code, signal }) => {
    const { host, tree } = await exhausted(how);
    expect(await host.exited).toEqual({ code, signal });
    await exited(tree);
  });

  it('leaves no tool of its CLI after killing the CLI', async () => {
    const { host, tree } = await exhausted('close');
    expect(await host.line()).toBe('closed');
    await exited(tree);
  });
});
