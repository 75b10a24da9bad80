import { DatabaseUnavailableError, FleetClosedError } from '@coxswain/fleet';
import { expect, it } from 'vitest';
import { withoutRepeats } from '../../src/worker/without-repeats.ts';

it('[F-12] withoutRepeats() reports an unreachable database every 30 s, other errors at once, and nothing after the worker was closed', () => {
  const reported: unknown[] = [];
  let now = 0;
  const report = withoutRepeats(
    (error) => reported.push(error),
    () => now,
  );
  const away = new DatabaseUnavailableError('The query failed', 'ECONNREFUSED');
  // An hour without the database, with ten failures per second.
  for (; now < 3_600_000; now += 100) report(away);
  expect(reported).toHaveLength(120);
  const other = new Error('The agent module is broken.');
  for (const error of [away, other, away, other, new FleetClosedError('The query failed')]) report(error);
  expect(reported.slice(120)).toEqual([away, other, other]);
});

it.each([
  [
    'throws',
    () => {
      throw new Error('the log is closed');
    },
  ],
  ['rejects', () => Promise.reject(new Error('the log is closed'))],
])('[F-29] an onError that %s gives one process warning, and the report does not throw', async (_, onError) => {
  const warnings: Error[] = [];
  const listen = (warning: Error): void => void warnings.push(warning);
  process.on('warning', listen);
  const report = withoutRepeats(onError);
  for (let times = 0; times < 3; times += 1) report(new Error('The agent module is broken.'));
  await expect
    .poll(() => warnings.map(({ message }) => message))
    .toEqual(['onError failed: the log is closed. The worker continues.']);
  process.off('warning', listen);
});
