import { describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { endProcess, gracefulSteps, interruptSteps } from '../../src/process/shutdown.ts';
import type { ExitReport, Transport } from '../../src/process/transport.ts';
import { startChild } from '../support/child-runs.ts';
import { readLine } from '../support/output.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

/** Timeout of steps that are expected to have no effect. */
const IN_VAIN_MS = 30;
const allInVain = { ...defaultLimits, graceMs: IN_VAIN_MS, interruptMs: IN_VAIN_MS, termMs: IN_VAIN_MS };

describe('[R-2] the steps of a shutdown', () => {
  it('for a query: SIGINT, 2 s, SIGTERM, 3 s, SIGKILL', () => {
    expect(interruptSteps(defaultLimits)).toEqual([
      { send: 'interrupt', waitMs: 2_000 },
      { send: 'terminate', waitMs: 3_000 },
      { send: 'kill', waitMs: 2_000 },
    ]);
  });

  it('for a finished query: first 5 s to exit without a signal', () => {
    expect(gracefulSteps(defaultLimits)).toEqual([{ waitMs: 5_000 }, ...interruptSteps(defaultLimits)]);
  });
});

describe('[R-2] endProcess()', () => {
  it.each([
    ['ignores-eof-and-sigterm.mjs', defaultLimits, { exitCode: 0, signal: null, ended: 'interrupted' }],
    [
      'ignores-sigint.mjs',
      { ...defaultLimits, interruptMs: IN_VAIN_MS },
      { exitCode: null, signal: 'SIGTERM', ended: 'terminated' },
    ],
    ['ignores-all-but-sigkill.mjs', allInVain, { exitCode: null, signal: 'SIGKILL', ended: 'killed' }],
  ] as const)('takes the steps in order until the process exits (%s)', async (name, limits, report) => {
    const child = await startChild(program(name));
    await readLine(child.output);
    expect(await endProcess(child, interruptSteps(limits))).toEqual(report);
    expect(isAlive(child.pid)).toBe(false);
  });

  it('sends nothing to a process that exits within its grace time', async () => {
    const child = await startChild(program('echoes-stdin.sh'));
    const ending = endProcess(child, gracefulSteps(defaultLimits));
    await child.endInput();
    expect(await ending).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
  });

  it('reports immediately if the process has already exited', async () => {
    const child = await startChild(program('exits-with.sh', '4'));
    await child.exited;
    expect(await endProcess(child, interruptSteps(defaultLimits))).toMatchObject({ exitCode: 4, ended: 'by-itself' });
  });

  it('interrupts a process that outlasts its grace time', async () => {
    const child = await startChild(program('ignores-eof-and-sigterm.mjs'));
    await readLine(child.output);
    const limits = { ...defaultLimits, graceMs: IN_VAIN_MS };
    expect(await endProcess(child, gracefulSteps(limits))).toMatchObject({ exitCode: 0, ended: 'interrupted' });
  });

  it('closes pipes that a grandchild keeps open and ends a pending read', async () => {
    const child = await startChild(program('grandchild-keeps-pipe.mjs'));
    const grandchild = Number(await readLine(child.output));
    const reading = child.output[Symbol.asyncIterator]().next();
    await child.exited;
    await endProcess(child, gracefulSteps(defaultLimits));
    expect((await reading).done).toBe(true);
    if (isAlive(grandchild)) process.kill(grandchild, 'SIGKILL');
  });
});

describe('[R-1, R-3] no process of the tree survives the end of', () => {
  it.each([
    ['a program that dies of SIGINT without its shell', [], defaultLimits, 'interrupted'],
    ['a program that has to be killed', ['stubborn'], allInVain, 'killed'],
  ] as const)('%s', async (_, args, limits, ended) => {
    const child = await startChild(program('starts-bash-in-own-session.mjs', ...args));
    const shellAndSleep = (await readLine(child.output)).split(' ').map(Number);
    expect(await endProcess(child, interruptSteps(limits))).toMatchObject({ ended });
    await waitUntil('the shell and its child have exited', () => !shellAndSleep.some(isAlive));
  });

  it('a program that exits without a signal after ending()', async () => {
    const child = await startChild(program('starts-bash-in-own-session.mjs', 'exit'));
    const shellAndSleep = (await readLine(child.output)).split(' ').map(Number);
    const ending = endProcess(child, gracefulSteps(defaultLimits));
    await child.endInput();
    expect(await ending).toMatchObject({ exitCode: 0, ended: 'by-itself' });
    await waitUntil('the shell and its child have exited', () => !shellAndSleep.some(isAlive));
  });

  it('a program that crashed before its tree was recorded', async () => {
    const child = await startChild(['/bin/sh', '-c', 'sleep 300 & echo $!; kill -9 $$']);
    const sleep = Number(await readLine(child.output));
    await child.exited;
    await waitUntil('the sleep has exited', () => !isAlive(sleep));
  });
});

describe('endProcess() of a custom transport', () => {
  const transport = (overrides: Partial<Transport>): Transport => ({
    start: async () => {},
    output: { async *[Symbol.asyncIterator]() {} },
    errorOutput: { async *[Symbol.asyncIterator]() {} },
    write: async () => {},
    endInput: async () => {},
    signal: () => {},
    exited: new Promise<ExitReport>(() => {}),
    pid: undefined,
    ...overrides,
  });

  it('[R-2] takes every step once if the transport never exits, and reports an error', async () => {
    const sent: string[] = [];
    const steps = interruptSteps(allInVain).map((step) => ({ ...step, waitMs: 5 }));
    const report = await endProcess(transport({ signal: (signal) => sent.push(signal) }), steps);
    expect(sent).toEqual(['interrupt', 'terminate', 'kill']);
    expect(report).toMatchObject({ exitCode: null, signal: null, ended: 'killed', error: { code: 'transport' } });
  });

  it('[R-2] reports the signal even if the report of the transport does not', async () => {
    let exit: (report: ExitReport) => void = () => {};
    const exited = new Promise<ExitReport>((resolve) => {
      exit = resolve;
    });
    const signal = (): void => exit({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(await endProcess(transport({ exited, signal }), interruptSteps(allInVain))).toMatchObject({
      ended: 'interrupted',
    });
  });

  it('[E-4] does not reject if the transport throws or rejects', async () => {
    const throwing = transport({
      signal() {
        throw new Error('no such thing');
      },
    });
    expect(await endProcess(throwing, interruptSteps(allInVain))).toMatchObject({ error: { code: 'transport' } });
    const rejecting = transport({ exited: Promise.reject(new Error('lost')) });
    expect(await endProcess(rejecting, interruptSteps(allInVain))).toMatchObject({ error: { code: 'transport' } });
  });
});
