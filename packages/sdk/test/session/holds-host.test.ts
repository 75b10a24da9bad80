import { describe, expect, it } from 'vitest';
import { startHost } from '../support/hosts.ts';
import { cliPath } from '../support/say.ts';

describe.concurrent('the program does not exit early with code 13 while it waits for', () => {
  it.each([
    ['ready', 'initialization-timeout'],
    ['closed', 'gone'],
    ['a request', 'initialization-timeout'],
    ['a pushed frame', 'initialization-timeout'],
    ['the next turn of a restarting session', 'you said more'],
  ])('[S-1, S-10] %s, although the failed CLI does not exit', async (which, line) => {
    const host = startHost('../session-hosts/waits-for-a-stubborn-cli.mjs', cliPath('session-cli.mjs'), which);
    expect(await host.line()).toBe(line);
    expect(await host.exited).toEqual({ code: 0, signal: null });
  });
});
