import { expect, it } from 'vitest';
import '../support/unhandled.ts';
import { startHost } from '../support/hosts.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath } from '../support/say.ts';

it('[R-7] a session that is garbage is ended with a warning; one whose turn is awaited is not', { timeout: 30_000 }, async () => {
  const host = startHost('../session-hosts/drops.mjs', cliPath('session-cli.mjs'));
  const { pid, warnings } = JSON.parse(await host.line());
  expect(warnings).toEqual(['session-abandoned']);
  expect(await host.line()).toBe('still waiting');
  host.process.stdin?.write('go on\n');
  expect(JSON.parse(await host.line())).toEqual({ text: 'waited', warnings: [] });
  expect(JSON.parse(await host.line())).toEqual(['session-abandoned']);
  expect(await host.exited).toEqual({ code: 0, signal: null });
  await waitUntil('the abandoned CLI is gone', () => !isAlive(pid));
});
