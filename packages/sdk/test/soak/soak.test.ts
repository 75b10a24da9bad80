import { scriptedCli } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { mixedLoad } from './mixed.ts';
import { repeat } from './repeat.ts';
import { oneQuery, oneSession, soakScript } from './runs.ts';

// Covers every way to end twice; `npm run do -- soak` repeats it thousands of times.
it('[R-4] consecutive queries and sessions leave no resources', { timeout: 60_000 }, async () => {
  await using cli = await scriptedCli(soakScript());
  const options = { cli: cli.path };
  const queries = await repeat('queries', 12, (number) => oneQuery(options, number), { warmUp: 6, parts: 2 });
  expect(queries.problems).toEqual([]);
  const sessions = await repeat('sessions', 4, (number) => oneSession(options, number), { warmUp: 4, parts: 2 });
  expect(sessions.problems).toEqual([]);
});

it('[R-4, E-4, S-10] every operation under a mixed load with random kills ends with a typed outcome', {
  timeout: 90_000,
}, async () => {
  await using cli = await scriptedCli(soakScript());
  const course = await mixedLoad({ cli: cli.path }, { ms: 2_000, seed: 7 });
  expect(course.problems).toEqual([]);
  expect(course.operations).toBeGreaterThan(10);
  expect(course.kills).toBeGreaterThan(0);
});
