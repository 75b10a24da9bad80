import { join } from 'node:path';
import { expect, it } from 'vitest';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import '../support/unhandled.ts';
import { startHost } from '../support/hosts.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath } from '../support/say.ts';

it('[A-2, R-7] a supervised session that is garbage is ended with a warning; one whose turn is awaited is not', {
  timeout: 30_000,
}, async () => {
  const go = join(temporaryFolder(), 'go');
  const host = startHost('../../supervise/drops.mjs', cliPath('session-cli.mjs'), go);
  const { pid, warnings } = JSON.parse(await host.line());
  expect(warnings).toEqual(['session-abandoned']);
  expect(JSON.parse(await host.line())).toEqual([]);
  put(go);
  expect(await host.line()).toBe('waited');
  expect(JSON.parse(await host.line())).toEqual(['session-abandoned']);
  expect(await host.exited).toEqual({ code: 0, signal: null });
  await waitUntil('the abandoned CLI is gone', () => !isAlive(pid));
});
