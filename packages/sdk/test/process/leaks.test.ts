import { expect, it } from 'vitest';
import { defaultLimits } from '../../src/limits.ts';
import { childTransport } from '../../src/process/child.ts';
import { endProcess, gracefulSteps } from '../../src/process/shutdown.ts';
import { requestFor } from '../support/child-runs.ts';
import { LONG_FORM } from '../support/long-form.ts';
import { readAll } from '../support/output.ts';
import { descriptorsOf, liveDescendants, waitUntil } from '../support/processes.ts';
import { program } from '../support/programs.ts';

/** A multiple of 10, the number of kinds of runs. A leak per run would be obvious. */
const RUNS = LONG_FORM ? 200 : 50;

async function run(number: number): Promise<void> {
  const transport = childTransport({ orphanGuard: true });
  const failing = number % 10 === 9;
  const request = requestFor(failing ? ['/nowhere/claude'] : [...program('echoes-stdin.sh'), '--settings', 'PATH'], {
    privateFiles: failing ? [] : [{ argvIndex: 3, name: 'settings.json', content: '{}' }],
  });
  await transport.start(request).catch(() => {});
  await transport.write('hello\n').catch(() => {});
  await transport.endInput();
  // Every fifth run leaves its output unread.
  if (number % 5 > 0) await Promise.all([readAll(transport.output), readAll(transport.errorOutput)]);
  await endProcess(transport, gracefulSteps(defaultLimits));
}

/** One entry for each handle, request, timer, descriptor and listener of the host. */
function held(): string[] {
  return [
    ...process.getActiveResourcesInfo(),
    ...Array.from(descriptorsOf('self').values(), () => 'descriptor'),
    ...process
      .eventNames()
      .flatMap((event) => process.listeners(event as 'exit').map(() => `${String(event)} listener`)),
  ];
}

/** Entries that are new since `before`, except the changing timers of the test runner. */
function surplus(before: readonly string[]): string[] {
  const unmatched = [...before];
  return held().filter((kind) => {
    const at = unmatched.indexOf(kind);
    if (at !== -1) unmatched.splice(at, 1);
    return at === -1;
  });
}

it(`[R-4] ${RUNS} runs one after the other leave no process, handle, timer, descriptor or listener`, {
  timeout: 60_000,
}, async () => {
  await run(0);
  await run(9);
  await waitUntil('the guards of the first runs have exited', () => liveDescendants(process.pid).length === 0);
  const before = held();
  for (let number = 0; number < RUNS; number++) await run(number);
  await waitUntil('the guards have exited', () => liveDescendants(process.pid).length === 0);
  await waitUntil('the last guard’s pipe is closed', () => surplus(before).length === 0, 1_000).catch(() => {});
  expect(surplus(before)).toEqual([]);
});

it('[R-4, Q-14] 100 concurrent children add one listener of each kind and cause no warning', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const before = process.listenerCount('exit');
  const transports = Array.from({ length: 100 }, () => childTransport({ orphanGuard: true }));
  await Promise.all(transports.map((transport) => transport.start(requestFor(program('echoes-stdin.sh')))));
  expect(process.listenerCount('exit')).toBe(before + 1);
  await Promise.all(transports.map((transport) => transport.endInput()));
  const reports = await Promise.all(transports.map((transport) => endProcess(transport, gracefulSteps(defaultLimits))));
  expect(reports.every(({ exitCode }) => exitCode === 0)).toBe(true);
  process.off('warning', onWarning);
  expect(warnings).toEqual([]);
  expect(process.listenerCount('exit')).toBe(before);
});
