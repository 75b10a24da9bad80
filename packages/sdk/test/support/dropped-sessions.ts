import { join } from 'node:path';
import { expect } from 'vitest';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import { startHost } from './hosts.ts';
import { isAlive, waitUntil } from './processes.ts';
import { cliPath } from './say.ts';

/** Runs a host that drops sessions: an unreferenced one must end with a warning, one with an awaited turn must not. */
export async function expectDroppedToEnd(restart: 'restart' | 'no-restart'): Promise<void> {
  const go = join(temporaryFolder(), 'go');
  const host = startHost('../session-hosts/drops.mjs', restart, cliPath('session-cli.mjs'), go);
  const { pid, warnings } = JSON.parse(await host.line());
  expect(warnings).toEqual(['session-abandoned']);
  expect(JSON.parse(await host.line())).toEqual([]);
  put(go);
  expect(await host.line()).toBe('waited');
  expect(JSON.parse(await host.line())).toEqual(['session-abandoned']);
  expect(await host.exited).toEqual({ code: 0, signal: null });
  await waitUntil('the abandoned CLI has exited', () => !isAlive(pid));
}
