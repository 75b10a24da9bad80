import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { SpawnError, type SpawnFailure } from '../../src/errors/start.ts';
import { TransportError } from '../../src/errors/stream.ts';
import { childTransport } from '../../src/process/child.ts';
import { requestFor, startChild } from '../support/child-runs.ts';
import { readAll, readLine } from '../support/output.ts';
import { bytesWrittenBy, isAlive, processOf, waitUntil } from '../support/processes.ts';
import { program, programPath } from '../support/programs.ts';

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coxswain-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe('a child transport', () => {
  it('[A-1] writes, reads both outputs to the end and reports the exit', async () => {
    const child = await startChild(['/bin/sh', '-c', 'cat; echo oops >&2; exit 7']);
    await child.write('one\n');
    await child.write('two\n');
    await child.endInput();
    expect(await readAll(child.output)).toBe('one\ntwo\n');
    expect(await readAll(child.errorOutput)).toBe('oops\n');
    expect(await child.exited).toEqual({ exitCode: 7, signal: null, ended: 'by-itself' });
  });

  it('[A-1] returns output written before the exit after the exit', async () => {
    const child = await startChild(['/bin/sh', '-c', 'echo early; exit 0']);
    await child.exited;
    expect(await readAll(child.output)).toBe('early\n');
  });

  it('[R-1] starts a child that leads its own group and session', async () => {
    const child = await startChild(program('never-reads-stdin.sh'));
    await readLine(child.output);
    expect(processOf(child.pid)).toMatchObject({ group: child.pid, session: child.pid });
  });

  it('passes the unchanged arguments without a shell, and only the requested environment and its own mark', async () => {
    const child = await startChild(['/bin/sh', '-c', 'printf "%s|" "$@"; env', 'x', '$HOME; `id`', '', 'a b'], {
      env: { ONLY: 'this' },
    });
    const [first, ...rest] = (await readAll(child.output)).split('|').map((part) => part.trim());
    expect([first, rest[0], rest[1]]).toEqual(['$HOME; `id`', '', 'a b']);
    const env = rest[2]?.split('\n').filter((line) => !/^(PWD|_|SHLVL)=/.test(line));
    expect(env?.sort()).toEqual([expect.stringMatching(/^COXSWAIN_RUN=\d+\.\w+\.\d+$/), 'ONLY=this']);
  });

  it.each([
    ['interrupt', 'SIGINT', 'interrupted'],
    ['terminate', 'SIGTERM', 'terminated'],
    ['kill', 'SIGKILL', 'killed'],
  ] as const)('[A-1] signal(%s) sends %s, and the exit report names the signal', async (signal, name, ended) => {
    const child = await startChild(program('never-reads-stdin.sh'));
    await readLine(child.output);
    child.signal(signal);
    expect(await child.exited).toEqual({ exitCode: null, signal: name, ended });
    child.signal('kill');
    expect((await child.exited).ended).toBe(ended);
  });

  it('[R-2] marks a run inside another run with its own mark', async () => {
    const outer = { COXSWAIN_RUN: 'the mark of the outer run' };
    const marks = [1, 2].map(async () => {
      const child = await startChild(['/bin/sh', '-c', 'echo "$COXSWAIN_RUN"'], { env: outer });
      return (await readAll(child.output)).trim();
    });
    const [first, second] = await Promise.all(marks);
    expect(first).toMatch(new RegExp(`^${process.pid}\\.\\w+\\.\\d+$`));
    expect(second).not.toBe(first);
  });

  it('rejects a second start without affecting the first process', async () => {
    const child = await startChild(program('never-reads-stdin.sh'));
    await expect(child.start(requestFor(['/bin/true']))).rejects.toThrow(SpawnError);
    expect(isAlive(child.pid)).toBe(true);
  });
});

describe('back-pressure', () => {
  const SIZE = 200_000_000;

  it('[Q-13] keeps 200 MB of unread output in the child and delivers all of it later', async () => {
    const child = await startChild(program('floods-stdout.sh', String(SIZE)));
    const before = process.memoryUsage.rss();
    let last = -1;
    let since = 0;
    const stalledAt = await waitUntil('the child waits for the pipe', () => {
      const written = bytesWrittenBy(child.pid);
      if (written !== last) [last, since] = [written, performance.now()];
      return written > 0 && performance.now() - since > 150 ? written : undefined;
    });
    expect(stalledAt).toBeLessThan(10_000_000);
    expect(process.memoryUsage.rss() - before).toBeLessThan(40_000_000);
    let read = 0;
    for await (const chunk of child.output) read += chunk.length;
    expect(read).toBe(SIZE);
  });

  it('[R-5] does not delay stdout because of a flood on stderr', async () => {
    const child = await startChild(program('floods-stderr.sh', '20000000'));
    let flood = 0;
    const drained = (async () => {
      for await (const chunk of child.errorOutput) flood += chunk.length;
    })();
    expect(await readAll(child.output)).toBe('done\n');
    await drained;
    expect(flood).toBeGreaterThan(20_000_000);
  });

  it('[A-1] closes the pipe if the iteration ends early, and the writer gets an error', async () => {
    const child = await startChild(program('floods-stdout.sh', String(SIZE)));
    for await (const _ of child.output) break;
    const { exitCode, ended } = await child.exited;
    expect(exitCode).not.toBe(0);
    expect(ended).toBe('by-itself');
  });
});

describe('[S-13] writing', () => {
  it('keeps the order of writes that were not awaited', async () => {
    const child = await startChild(program('echoes-stdin.sh'));
    const lines = Array.from({ length: 200 }, (_, i) => `${i}:${'x'.repeat(i * 50)}\n`);
    const writes = lines.map((line) => child.write(line));
    const reading = readAll(child.output);
    await Promise.all(writes);
    await child.endInput();
    expect(await reading).toBe(lines.join(''));
  });

  it('waits while the pipe is full', async () => {
    const child = await startChild(program('echoes-stdin.sh'));
    let taken = false;
    const big = 'x'.repeat(8_000_000);
    const write = child.write(big).then(() => {
      taken = true;
    });
    await readLineless(child.output);
    expect(taken).toBe(false);
    const reading = readAll(child.output);
    await write;
    await child.endInput();
    await reading;
  });

  it.each([
    ['a process that has exited', ['/bin/true']],
    ['a process that could not be started', ['/nowhere/claude']],
  ])('to %s is a TransportError', async (_, argv) => {
    const transport = childTransport({ orphanGuard: false });
    await transport.start(requestFor(argv)).catch(() => {});
    await transport.exited;
    await expect(transport.write('hello\n')).rejects.toThrow(TransportError);
    await transport.endInput();
    await transport.destroy?.();
  });

  it('to a full pipe fails when the process exits', async () => {
    const child = await startChild(program('never-reads-stdin.sh'));
    await readLine(child.output);
    const stuck = [child.write('x'.repeat(4_000_000)), child.write('next\n')];
    const outcomes = Promise.allSettled(stuck);
    child.signal('kill');
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'transport' } });
    }
  });

  it('to a full pipe fails on the exit even if a grandchild holds the other end', async () => {
    const child = await startChild(program('exits-with-stdin-held.mjs'));
    const holder = Number(await readLine(child.output));
    const stuck = child.write('x'.repeat(4_000_000));
    process.kill(child.pid, 'SIGUSR2');
    await expect(stuck).rejects.toThrow(/has exited/);
    expect(isAlive(holder)).toBe(true);
    process.kill(holder, 'SIGKILL');
  });

  it('to a closed stdin rejects with TransportError instead of raising EPIPE in the host', async () => {
    const child = await startChild(program('closes-stdin.sh'));
    await readLine(child.output);
    await expect(child.write('x'.repeat(1_000_000))).rejects.toThrow(TransportError);
    await expect(child.write('again\n')).rejects.toThrow(TransportError);
    expect(isAlive(child.pid)).toBe(true);
  });

  it('after endInput() or before start() rejects with TransportError', async () => {
    const child = await startChild(program('echoes-stdin.sh'));
    await Promise.all([child.endInput(), child.endInput()]);
    await expect(child.write('late\n')).rejects.toThrow(/endInput|closed/);
    await expect(childTransport({ orphanGuard: false }).write('early\n')).rejects.toThrow(/not started/);
  });
});

describe('a failed start', () => {
  it.each<[string, SpawnFailure, () => Parameters<typeof requestFor>]>([
    ['[C-11] a missing cwd', 'cwd', () => [['/bin/true'], { cwd: '/nowhere/at/all' }]],
    ['[C-11] a cwd that is a file', 'cwd', () => [['/bin/true'], { cwd: programPath('echoes-stdin.sh') }]],
    ['[C-11] a missing cwd and a missing program', 'cwd', () => [['/nowhere/claude'], { cwd: '/nowhere' }]],
    ['[C-11] a missing program in a good cwd', 'not-found', () => [['/nowhere/claude'], { cwd: tmpdir() }]],
    ['a program below a file', 'not-found', () => [[`${programPath('echoes-stdin.sh')}/claude`]]],
    ['a script whose interpreter is missing', 'not-found', () => [[executable('#!/nowhere/node\n')]]],
    ['a file that is not executable', 'permission', () => [[programPath('echoes-stdin.sh')]]],
    ['a directory', 'permission', () => [[tmpdir()]]],
    ['an argument that is too long', 'argument-too-long', () => [['/bin/true', 'x'.repeat(3_000_000)]]],
    ['an empty argv', 'other', () => [[]]],
  ])(
    '%s: start() rejects with a SpawnError with the reason %s, and `exited` reports it',
    async (_, reason, request) => {
      const transport = childTransport({ orphanGuard: true });
      const error = await transport.start(requestFor(...request())).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SpawnError);
      expect(error).toMatchObject({ reason });
      expect(await transport.exited).toEqual({ exitCode: null, signal: null, ended: 'by-itself', error });
      expect(transport.pid).toBeUndefined();
      expect(await readAll(transport.output)).toBe('');
      expect(await readAll(transport.errorOutput)).toBe('');
      transport.signal('kill');
    },
  );

  it('[C-11] does not happen for an empty cwd: it means the working directory of the host', async () => {
    const child = await startChild(['/bin/pwd'], { cwd: '' });
    expect((await readAll(child.output)).trim()).toBe(process.cwd());
  });

  it('[C-10] because of a NUL byte beside a secret does not repeat the secret', async () => {
    const transport = childTransport({ orphanGuard: false });
    const request = requestFor(['/bin/true'], { env: { ANTHROPIC_API_KEY: 'sk-ant-api03-abcdef\0' } });
    const error = await transport.start(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'spawn', reason: 'other' });
    expect(JSON.stringify(error) + String((error as Error).stack)).not.toContain('abcdef');
    expect((error as Error).cause).toBeUndefined();
  });

  it('because of too many open files has the reason resources', async () => {
    const spawn = () => {
      throw Object.assign(new Error('spawn EMFILE'), { code: 'EMFILE' });
    };
    const transport = childTransport({ orphanGuard: false, spawn });
    await expect(transport.start(requestFor(['/bin/true']))).rejects.toMatchObject({ reason: 'resources' });
  });

  function executable(content: string): string {
    const path = join(temporaryFolder(), 'claude');
    writeFileSync(path, content);
    chmodSync(path, 0o755);
    return path;
  }
});

async function readLineless(output: AsyncIterable<Uint8Array>): Promise<void> {
  await output[Symbol.asyncIterator]().next();
}
