import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { FakeCli, open, settle, silence, start } from '../support/fake-cli.ts';
import { INIT } from '../support/say.ts';

const user = new AsyncLocalStorage<string>();

describe('the async context of a callback', () => {
  it('[H-9] is that of send() for hooks, permissions, tools and other callbacks of the turn', async () => {
    const seen: unknown[] = [];
    const note = (what: string): void => void seen.push([what, user.getStore()]);
    const { session, cli } = await user.run('whoever started', () =>
      start({
        hooks: { PreToolUse: () => note('hook') },
        canUseTool: async () => {
          await settle();
          note('permission');
          return allow();
        },
        mcpServers: {
          calc: () => {
            note('tool');
            return { result: {} };
          },
        },
        onElicitation: () => {
          note('elicitation');
          return { action: 'decline' };
        },
        onControlRequest: () => note('control'),
      }),
    );
    const ask = async (turn: string): Promise<void> => {
      cli.askHook(`hook ${turn}`);
      cli.askPermission(`permission ${turn}`);
      cli.ask(`tool ${turn}`, 'mcp_message', {
        server_name: 'calc',
        message: { jsonrpc: '2.0', id: 1, method: 'ping' },
      });
      cli.ask(`elicitation ${turn}`, 'elicitation', {});
      cli.ask(`control ${turn}`, 'novelty', {});
      for (const kind of ['hook', 'permission', 'tool', 'elicitation', 'control'])
        await cli.got(`answer ${kind} ${turn}`);
    };
    const first = user.run('alice', () => session.send('one'));
    const second = user.run('bob', () => session.send('two'));
    const one = await cli.got('prompt one');
    cli.begin(one);
    await ask('one');
    cli.finish(one);
    await first.result();
    const two = await cli.got('prompt two');
    cli.begin(two);
    await ask('two');
    cli.finish(two);
    await second.result();
    const all = (name: string): unknown[] =>
      ['hook', 'permission', 'tool', 'elicitation', 'control'].map((what) => [what, name]);
    expect(seen.slice(0, 5)).toEqual(expect.arrayContaining(all('alice')));
    expect(seen.slice(5)).toEqual(expect.arrayContaining(all('bob')));
  });

  it('[H-9] is that of openSession() outside of a turn', async () => {
    const seen: unknown[] = [];
    const cli = new FakeCli({ initialize: silence });
    user.run('whoever started', () => open(cli, { hooks: { SessionStart: () => void seen.push(user.getStore()) } }));
    await cli.got('initialize');
    cli.askHook('h1', 'SessionStart');
    await cli.answered('h1');
    cli.succeed('req_1');
    cli.say(INIT);
    cli.askHook('h2', 'SessionStart');
    await cli.answered('h2');
    expect(seen).toEqual(['whoever started', 'whoever started']);
  });
});
