import { join } from 'node:path';
import { expect, it } from 'vitest';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import { startHost } from '../support/hosts.ts';
import { cliPath } from '../support/say.ts';

it.each([
  ['messages()', 'message waited'],
  ['a reader of messages()', 'message waited'],
  ['events()', 'event ready'],
  ['idle()', 'idle'],
])(
  '[R-7] a session is not abandoned while only %s is referenced; without that reference it is',
  { timeout: 30_000 },
  async (how, seen) => {
    const go = join(temporaryFolder(), 'go');
    const host = startHost('../session-hosts/watches.mjs', how, cliPath('session-cli.mjs'), go);
    expect(JSON.parse(await host.line())).toEqual([]);
    put(go);
    expect(await host.line()).toBe(seen);
    expect(JSON.parse(await host.line())).toEqual(['session-abandoned']);
    expect(await host.exited).toEqual({ code: 0, signal: null });
  },
);
