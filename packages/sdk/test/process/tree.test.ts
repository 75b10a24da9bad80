import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  hasEnv,
  processTable,
  recordsFromProc,
  recordsFromPs,
  runningPids,
  tableOf,
} from '../../src/process/process-table.ts';
import { descendantsOf, killMarked, killTree, newMark, TreeRecord } from '../../src/process/tree.ts';
import { readLine } from '../support/output.ts';
import { isAlive, liveDescendants, processOf, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

vi.mock('../../src/process/process-table.ts', async (original) => {
  const actual = await original<typeof import('../../src/process/process-table.ts')>();
  return { ...actual, processTable: vi.fn(actual.processTable) };
});

const strays: number[] = [];

/** A program in its own group, and the pids it printed. */
async function run(
  name: string,
  ...args: string[]
): Promise<{ child: ChildProcessByStdio<Writable, Readable, null>; root: number; printed: number[] }> {
  const [file = '', ...rest] = program(name, ...args);
  const child = spawn(file, rest, { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
  const root = child.pid ?? 0;
  strays.push(root);
  const printed = (await readLine(child.stdout)).split(' ').map(Number);
  strays.push(...printed.filter(Number.isInteger));
  return { child, root, printed };
}

const exitOf = (child: ChildProcess): Promise<unknown> => new Promise((resolve) => child.once('exit', resolve));

afterEach(() => {
  for (const pid of strays.splice(0)) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
});

describe('[R-1] descendantsOf', () => {
  it('finds a shell in another session and its children, parents first', async () => {
    const { root, printed } = await run('starts-bash-in-own-session.mjs');
    const [shell = 0, sleep = 0] = printed;
    const found = descendantsOf(root);
    expect(found.map(({ pid }) => pid)).toEqual([shell, sleep]);
    expect(processOf(shell)).toMatchObject({ session: shell, group: shell });
    expect(found).toMatchObject([
      { parent: root, group: shell },
      { parent: shell, group: shell },
    ]);
  });

  it('returns nothing for an exited process or a zombie', async () => {
    const { child, root } = await run('starts-bash-in-own-session.mjs');
    const exited = exitOf(child);
    process.kill(root, 'SIGKILL');
    await exited;
    expect(descendantsOf(root)).toEqual([]);
  });

  it('returns the same from /proc and from ps', async () => {
    const { root, printed } = await run('starts-bash-in-own-session.mjs');
    for (const records of [recordsFromProc(), recordsFromPs()]) {
      const table = tableOf(records);
      expect(table.childrenOf(root)).toEqual([printed[0]]);
      expect(table.get(printed[1] ?? 0)).toMatchObject({ parent: printed[0], group: printed[0] });
      expect(table.get(root)?.started).toBeTruthy();
    }
  });
});

describe('[R-1] killTree', () => {
  it('kills the process, a shell in another session and the children of the shell', async () => {
    const { child, root, printed } = await run('starts-bash-in-own-session.mjs', 'stubborn');
    const exited = exitOf(child);
    killTree(root);
    await exited;
    await waitUntil('all have exited', () => ![root, ...printed].some(isAlive));
  });

  it('kills the whole tree of a process that keeps starting others', async () => {
    const { child, root } = await run('keeps-starting-children.mjs');
    await waitUntil('it has started some', () => liveDescendants(root).length > 5);
    const exited = exitOf(child);
    const before = liveDescendants(root);
    killTree(root);
    await exited;
    await waitUntil('all have exited', () => !before.some(isAlive));
    const sleeps = recordsFromProc().filter(({ parent, pid }) => parent === root || before.includes(pid));
    expect(sleeps).toEqual([]);
  });

  it.each([0, 1, -1, process.pid])('never signals pid %i', (pid) => {
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    killTree(pid);
    expect(kill).not.toHaveBeenCalled();
    kill.mockRestore();
  });
});

describe('[R-1, R-3] TreeRecord', () => {
  it('kills the recorded processes that outlived their parent', async () => {
    const { child, root, printed } = await run('starts-bash-in-own-session.mjs');
    const record = new TreeRecord(root);
    record.look();
    const exited = exitOf(child);
    process.kill(root, 'SIGINT');
    await exited;
    expect(printed.every(isAlive)).toBe(true);
    record.killSurvivors();
    await waitUntil('the survivors have exited', () => !printed.some(isAlive));
  });

  it('kills an unrecorded job through the group of a recorded shell', async () => {
    const { child, root, printed } = await run('shell-leaves-job-behind.mjs');
    const [shell = 0] = printed;
    const record = new TreeRecord(root);
    record.look();
    process.kill(root, 'SIGUSR2');
    const job = Number(await readLine(child.stdout));
    strays.push(job);
    await waitUntil('the shell has ended', () => !isAlive(shell));
    const exited = exitOf(child);
    process.kill(root, 'SIGINT');
    await exited;
    expect(isAlive(job)).toBe(true);
    record.killSurvivors();
    await waitUntil('the job has exited', () => !isAlive(job));
  });

  it('does not kill a new process with the pid of a recorded one', async () => {
    const { child, root, printed } = await run('starts-bash-in-own-session.mjs');
    const [shell = 0, sleep = 0] = printed;
    const seen = { pid: shell, parent: root, group: shell, started: 'long ago' };
    vi.mocked(processTable).mockReturnValueOnce(tableOf([seen]));
    const record = new TreeRecord(root);
    record.look();
    const exited = exitOf(child);
    process.kill(root, 'SIGINT');
    await exited;
    const kill = vi.spyOn(process, 'kill').mockReturnValue(true);
    record.killSurvivors();
    const killed = kill.mock.calls.map(([pid]) => Math.abs(pid));
    kill.mockRestore();
    expect(killed).toEqual([root]);
    expect([shell, sleep].every(isAlive)).toBe(true);
  });
});

describe('[R-2] the mark of a run', () => {
  it('differs from every other mark, including those of another copy of the module', async () => {
    vi.resetModules();
    const copy = await import('../../src/process/tree.ts');
    expect(copy.newMark).not.toBe(newMark);
    const marks = Array.from({ length: 1_000 }, () => [newMark(), copy.newMark()]).flat();
    expect(new Set(marks).size).toBe(2_000);
  });

  it.runIf(process.platform === 'linux')('identifies the processes that have it in their environment', async () => {
    const mark = newMark();
    const start = (COXSWAIN_RUN: string): ChildProcess =>
      spawn('sleep', ['60'], { env: { COXSWAIN_RUN, PATH: process.env.PATH }, detached: true, stdio: 'ignore' });
    const [marked, other] = [start(mark), start(`${mark}0`)];
    strays.push(marked.pid ?? 0, other.pid ?? 0);
    const exit = exitOf(marked);
    await waitUntil('the marked process has exited', () => {
      killMarked(mark, runningPids());
      return !isAlive(marked.pid ?? 0);
    });
    await exit;
    expect(isAlive(other.pid ?? 0)).toBe(true);
  });

  it.runIf(process.platform === 'linux')(
    'spares processes that ran before, and their children, if they are given',
    async () => {
      const mark = newMark();
      const env = { COXSWAIN_RUN: mark, PATH: process.env.PATH };
      const daemon = spawn('sh', ['-c', 'read go; sleep 60 & echo $!; wait'], {
        env,
        detached: true,
        stdio: ['pipe', 'pipe', 'ignore'],
      });
      strays.push(daemon.pid ?? 0);
      await waitUntil('the daemon runs', () => hasEnv(daemon.pid ?? 0, `COXSWAIN_RUN=${mark}`));
      const present = new Set(runningPids());
      daemon.stdin.write('go\n');
      const child = Number(await readLine(daemon.stdout));
      const command = spawn('sleep', ['60'], { env, detached: true, stdio: 'ignore' });
      strays.push(child, command.pid ?? 0);
      await waitUntil('the new command has exited', () => {
        killMarked(mark, runningPids(), present);
        return !isAlive(command.pid ?? 0);
      });
      expect([daemon.pid ?? 0, child].map(isAlive)).toEqual([true, true]);
    },
  );

  it.runIf(process.platform === 'linux')(
    'spares a process that is given if only the pids of its threads are listed',
    async () => {
      const mark = newMark();
      const env = { COXSWAIN_RUN: mark, PATH: process.env.PATH };
      const threaded = spawn(process.execPath, ['-e', 'console.log("runs"); setInterval(() => {}, 1000)'], {
        env,
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const pid = threaded.pid ?? 0;
      strays.push(pid);
      await readLine(threaded.stdout);
      const threads = readdirSync(`/proc/${pid}/task`).map(Number);
      expect(threads.length).toBeGreaterThan(1);
      killMarked(mark, threads, new Set([pid]));
      const ended = exitOf(threaded);
      // A later signal is delivered after one that was already sent.
      process.kill(pid, 'SIGTERM');
      await ended;
      expect(threaded.signalCode).toBe('SIGTERM');
    },
  );
});
