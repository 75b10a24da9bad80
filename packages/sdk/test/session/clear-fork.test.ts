import { describe, expect, it } from 'vitest';
import { outcomeOf } from '../../src/messages/outcome.ts';
import { openSession } from '../../src/restart/open-session.ts';
import type { Session } from '../../src/session/session.ts';
import { FakeCli, refusal, settle, start, success } from '../support/fake-cli.ts';
import { INIT, result } from '../support/say.ts';

describe('clear()', () => {
  it('[S-6] waits for running and waiting turns, runs as a separate turn, and sets the new id', async () => {
    const { session, cli } = await start({ model: 'opus' });
    const before = session.id;
    session.send('one');
    session.send('two');
    const cleared = session.clear();
    cli.reply(await cli.got('prompt one'));
    cli.reply(await cli.got('prompt two'));
    await cli.got('prompt /clear');
    expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt two', 'prompt /clear']);
    cli.say({ ...INIT, session_id: 'session-2' }, result({ session_id: 'session-2' }));
    await cleared;
    expect(session.id).toBe('session-2');
    expect(session.id).not.toBe(before);
  });

  it('[A-7] does not renew the budget: later turns end as the CLI ends them, and nothing is sent', async () => {
    const { session, cli } = await start({ maxBudgetUsd: 0.3 });
    const first = session.send('one');
    const sent = await cli.got('prompt one');
    cli.begin(sent);
    cli.finish(sent, 'done', { model_usage_since_last_result: { opus: { inputTokens: 1, costUSD: 0.3 } } });
    await first.result();
    const cleared = session.clear();
    await cli.got('prompt /clear');
    cli.say({ ...INIT, session_id: 'session-2' }, result({ session_id: 'session-2', uuid: crypto.randomUUID() }));
    await cleared;
    const [second, third] = [session.send('two'), session.send('three')];
    expect(outcomeOf(await second.result())).toMatchObject({ kind: 'budget', totalCostUsd: 0.3 });
    expect(outcomeOf(await third.result()).kind).toBe('budget');
    expect(await second.cost()).toMatchObject({ costUsd: 0, complete: true });
    expect(cli.story).toEqual(['initialize', 'prompt one', 'prompt /clear']);
  });

  it('[S-6] fails like a turn', async () => {
    const { session, cli } = await start();
    const cleared = session.clear();
    await cli.got('prompt /clear');
    cli.die(1);
    await expect(cleared).rejects.toMatchObject({ name: 'ProcessError' });
  });
});

describe('fork()', () => {
  it('[S-6] needs a finished turn on disk', async () => {
    const { session, cli } = await start();
    await expect(session.fork()).rejects.toMatchObject({ name: 'SessionNotForkableError' });
    const turn = session.send('one');
    const prompt = await cli.got('prompt one');
    cli.begin(prompt);
    await settle();
    await expect(session.fork()).rejects.toMatchObject({ name: 'SessionNotForkableError' });
    cli.finish(prompt);
    await turn.result();
    const { session: other, cli: otherCli } = await start({ persistSession: false });
    other.send('one');
    otherCli.reply(await otherCli.got('prompt one'));
    await other.idle();
    await expect(other.fork()).rejects.toMatchObject({ name: 'SessionNotForkableError' });
  });

  it('[S-6] opens a session with the same options that resumes this one under a new id', async () => {
    const clis: FakeCli[] = [];
    const transport = (): FakeCli => {
      const cli = new FakeCli();
      clis.push(cli);
      return cli;
    };
    await using session = openSession({ transport, model: 'opus', sessionId: 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee' });
    await session.ready;
    const turn = session.send('one');
    const cli = clis[0] ?? new FakeCli();
    cli.reply(await cli.got('prompt one'));
    await turn.result();
    await using fork = await session.fork({ permissionMode: 'plan' });
    expect(fork.id).not.toBe(session.id);
    const argv = clis[1]?.request?.argv.join(' ') ?? '';
    for (const part of [
      '--resume session-1',
      '--fork-session',
      `--session-id ${fork.id}`,
      '--model opus',
      '--permission-mode plan',
    ]) {
      expect(argv).toContain(part);
    }
    await session.close();
    expect(fork.state).toBe('running');
  });

  const ACCEPTING = {
    set_permission_mode: success({}),
    apply_flag_settings: success({}),
    mcp_set_servers: success({}),
  };

  /** A session whose settings were changed and that can be forked, and its CLIs. */
  async function changed(forkCli: FakeCli): Promise<{ session: Session; clis: FakeCli[] }> {
    const clis = [new FakeCli(ACCEPTING), forkCli];
    const rest = [...clis];
    const transport = (): FakeCli => rest.shift() ?? new FakeCli();
    const session = openSession({ transport, permissionMode: 'acceptEdits', allowedTools: ['Bash'] });
    await session.ready;
    const turn = session.send('one');
    clis[0]?.reply(await (clis[0] as FakeCli).got('prompt one'));
    await turn.result();
    await session.setPermissionMode('default');
    await session.applySettings({ permissions: { deny: ['Bash(rm *)'] } });
    await session.setMcpServers({ db: { command: 'db-server' } });
    return { session, clis };
  }

  it('[S-6] applies the permission mode, the settings and the servers that were set in this session', async () => {
    const cli = new FakeCli(ACCEPTING);
    const { session } = await changed(cli);
    await using fork = await session.fork();
    expect(cli.request?.argv.join(' ')).toContain('--permission-mode default');
    const settings = { permissions: { deny: ['Bash(rm *)'] } };
    expect((await cli.got('apply_flag_settings')).request).toMatchObject({ settings });
    expect((await cli.got('mcp_set_servers')).request).toMatchObject({ servers: { db: { command: 'db-server' } } });
    expect(fork.state).toBe('running');
    await session.close();
  });

  it('[S-6] fails if the CLI refuses settings that were set in this session', async () => {
    const refusing = new FakeCli({ ...ACCEPTING, apply_flag_settings: refusal('no such settings') });
    const { session } = await changed(refusing);
    await expect(session.fork()).rejects.toMatchObject({ name: 'ControlRequestError' });
    expect(refusing.story).not.toContain('prompt two');
    await refusing.exited;
    await session.close();
  });
});
