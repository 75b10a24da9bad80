import { script } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { runScripted } from './run-file.ts';

it('[K-1] the code in the guide to faults runs', async () => {
  const { lines } = await runScripted(new URL('../guides/faults.ts', import.meta.url), script());
  expect(lines).toEqual([
    '4 messages, json-decode',
    'true',
    "[ { name: 'Bash', input: { command: 'date' }, outcome: 'ran' } ]",
  ]);
});
