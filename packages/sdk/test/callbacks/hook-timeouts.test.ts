import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient } from '../../src/client/create-client.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, start } from '../support/fake-cli.ts';
import { fakeClock, pass } from '../support/fake-clock.ts';

fakeClock();

const never = (): Promise<undefined> => new Promise(() => {});
const hooks: AgentOptions['hooks'] = { PreToolUse: never, UserPromptSubmit: never, Stop: never };
const DENY = { hookSpecificOutput: { permissionDecision: 'deny' } };

describe('limits.hookTimeoutMs', () => {
  it('[H-6, O-8] sets the timeout of one event in a session, and other events keep 60 s', async () => {
    const { cli, warnings } = await start({ hooks, limits: { hookTimeoutMs: { PreToolUse: 5_000 } } });
    cli.askHook('tool', 'PreToolUse', 'hook_0');
    cli.askHook('prompt', 'UserPromptSubmit', 'hook_1');
    const timeouts = (): object[] => warnings.filter(({ code }) => code === 'hook-failed');
    await pass(4_999);
    expect(timeouts()).toEqual([]);
    await pass(1);
    expect(await cli.answered('tool')).toMatchObject(DENY);
    await pass(54_999);
    expect(timeouts()).toMatchObject([{ context: { event: 'PreToolUse', ms: 5_000 } }]);
    await pass(1);
    expect(await cli.answered('prompt')).toMatchObject({ decision: 'block' });
    expect(timeouts()[1]).toMatchObject({ context: { event: 'UserPromptSubmit', failure: 'timeout', ms: 60_000 } });
  });

  it('[H-2, H-6, O-8] is declared to the CLI per event, with its margin', async () => {
    const { cli } = await start({ hooks, limits: { hookTimeoutMs: { PreToolUse: 5_000, Stop: 500 } } });
    const declared = (await cli.got('initialize')).request?.hooks;
    expect(declared).toMatchObject({
      PreToolUse: [{ timeout: 15 }],
      UserPromptSubmit: [{ timeout: 70 }],
      Stop: [{ timeout: 11 }],
    });
  });

  it('[H-6, O-8] sets the timeout of one event in a query; the timeoutMs of a hook takes precedence', async () => {
    const cli = new FakeCli();
    const stream = query('hi', {
      transport: cli,
      hooks: { PreToolUse: [never, { run: never, timeoutMs: 100 }] },
      limits: { hookTimeoutMs: { PreToolUse: 1_000 } },
    });
    const collected = stream.collect();
    onTestFinished(async () => {
      cli.die();
      await stream.close();
      await collected;
    });
    cli.begin(await cli.got('prompt hi'));
    cli.askHook('one', 'PreToolUse', 'hook_0');
    cli.askHook('two', 'PreToolUse', 'hook_1');
    await pass(100);
    expect(await cli.answered('two')).toMatchObject(DENY);
    await pass(900);
    expect(await cli.answered('one')).toMatchObject(DENY);
  });

  it('[O-8] set per event by a client is replaced by the number of a call', async () => {
    const client = createClient({ limits: { hookTimeoutMs: { PreToolUse: 5_000 } } });
    const cli = new FakeCli();
    const session = client.openSession({ transport: cli, hooks, limits: { hookTimeoutMs: 2_000 } });
    onTestFinished(async () => {
      cli.die();
      await session.close();
    });
    await session.ready;
    expect((await cli.got('initialize')).request?.hooks).toMatchObject({ PreToolUse: [{ timeout: 12 }] });
  });

  it.each<[unknown, string]>([
    [{ PreToolUse: -1 }, 'limits.hookTimeoutMs.PreToolUse: must be a whole number'],
    [{ PreToolUse: '5s' }, 'limits.hookTimeoutMs.PreToolUse: must be a whole number'],
    [{ PreTooUse: 5 }, 'limits.hookTimeoutMs.PreTooUse: is not a known event. Did you mean PreToolUse?'],
    ['5s', 'limits.hookTimeoutMs: must be a number, or an object with a number per event'],
    [[5], 'limits.hookTimeoutMs: must be a number, or an object with a number per event'],
    [1.5, 'limits.hookTimeoutMs: must be a whole number'],
  ])('[O-4, O-8] is refused if it is invalid: %j', async (hookTimeoutMs, message) => {
    // Plain JavaScript can pass anything.
    const limits = { hookTimeoutMs } as AgentOptions['limits'];
    const session = openSession({ transport: new FakeCli(), limits });
    await expect(session.ready).rejects.toMatchObject({ code: 'options', message: expect.stringContaining(message) });
    await session.close();
  });
});
