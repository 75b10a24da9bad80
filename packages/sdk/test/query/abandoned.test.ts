import { join } from 'node:path';
import { expect, it } from 'vitest';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import { startHost } from '../support/hosts.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath, INIT, result, STUBBORN } from '../support/say.ts';
import { script } from '../support/say-script.ts';

it('[R-7] an unreferenced stream is ended with a warning; an awaited one is not', {
  timeout: 30_000,
}, async () => {
  const go = join(temporaryFolder(), 'go');
  const unread = script([STUBBORN, { message: INIT }, { stay: true }]);
  const slow = script([{ message: INIT }, { wait: go }, { message: result() }]);
  const host = startHost('../query-hosts/drops.mjs', cliPath('say.sh'), unread, slow);

  const { pid, warnings } = JSON.parse(await host.line());
  expect(warnings).toMatchObject([{ code: 'stream-abandoned', context: { pid } }]);

  expect(await host.line()).toBe('still waiting');
  put(go);
  expect(JSON.parse(await host.line())).toEqual({ loop: 2, result: 'done', text: 'done', exitCode: 0, warnings: [] });
  expect(await host.exited).toEqual({ code: 0, signal: null });
  await waitUntil('the abandoned CLI has exited', () => !isAlive(pid));
});
