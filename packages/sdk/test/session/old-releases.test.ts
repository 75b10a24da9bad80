import { describe, expect, it } from 'vitest';
import { modifyInput } from '../../src/callbacks/decisions.ts';
import { FEATURES_SINCE } from '../../src/cli/feature-gate.ts';
import { MINIMUM_SESSION_VERSION } from '../../src/cli/version.ts';
import { UnsupportedOptionError } from '../../src/errors/options.ts';
import { UnsupportedRequestError } from '../../src/errors/session.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import type { Session } from '../../src/session/session.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { FakeCli, start, success } from '../support/fake-cli.ts';
import { isAlive } from '../support/processes.ts';
import { INIT } from '../support/say.ts';
import { openProcess, pidOf } from '../support/session-process.ts';

const OLD = MINIMUM_SESSION_VERSION;
const guard: AgentOptions = { hooks: { PostToolBatch: () => undefined } };

/** A CLI that reports its release in the handshake. */
function release(version: string): FakeCli {
  return new FakeCli({ initialize: success({ commands: [], models: [], agents: [], claude_code_version: version }) });
}

describe('a session on a release that lacks a feature of its options', () => {
  it('[C-5, C-6] is refused with the required release, and no prompt is sent', async () => {
    // The version becomes known long after the handshake.
    const { session, events } = openProcess({ version: OLD, versionMs: 300 }, guard);
    const turn = session.send('never sent');
    const error = await session.ready.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnsupportedOptionError);
    expect(error).toMatchObject({
      option: 'hooks.PostToolBatch',
      flag: undefined,
      found: OLD,
      required: FEATURES_SINCE['hook:PostToolBatch'],
    });
    await expect(turn.text()).rejects.toBe(error);
    expect(events.map(({ type }) => type)).not.toContain('ready');
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[C-4, C-5] continues if the version cannot be determined', async () => {
    const { session } = openProcess({ version: 'no idea' }, guard);
    expect(await session.send('hi').text()).toBe('you said hi');
  });

  it('[C-4, C-5] continues with skipVersionCheck', async () => {
    const { session } = openProcess({ version: OLD }, { ...guard, skipVersionCheck: true });
    expect(await session.send('hi').text()).toBe('you said hi');
  });

  it('[C-4, C-5] does not wait for the version if nothing depends on it', async () => {
    const { session, events } = openProcess(
      { version: OLD, versionMs: 20_000 },
      { hooks: { PreToolUse: () => undefined }, limits: { versionTimeoutMs: 3_000 } },
    );
    expect(await session.send('hi').text()).toBe('you said hi');
    expect(events.map(({ type }) => type)).not.toContain('warning');
  });
});

describe('an operation that the release lacks', () => {
  it.each<[string, (session: Session) => Promise<unknown>]>([
    ['set_model', (session) => session.setModel('opus')],
    ['get_settings', (session) => session.getSettings()],
    ['mcp_toggle', (session) => session.toggleMcpServer('a', true)],
    ['stop_task', (session) => session.stopTask('t')],
    ['get_usage', (session) => session.request('get_usage')],
  ])(
    '[C-5, X-2] is refused with the required release without sending anything, and the session continues: %s',
    async (kind, call) => {
      const { session, cli } = await start({}, release(OLD));
      const error = await call(session).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(UnsupportedRequestError);
      expect(error).toMatchObject({ code: 'unsupported-request', kind, found: OLD, required: FEATURES_SINCE[kind] });
      expect(cli.story).toEqual(['initialize']);
      expect(session.state).toBe('running');
    },
  );

  it.each<[string, AgentOptions]>([
    ['settings', { settings: { permissions: { deny: ['Bash(rm *)'] } } }],
    ['sandbox', { sandbox: { enabled: false } }],
  ])(
    '[C-5, P-4] is refused if it is applySettings() and the release would drop the %s of the options',
    async (_, options) => {
      const refused = { code: 'unsupported-request', required: '2.1.290' };
      const { session } = await start(options, release('2.1.197'));
      await expect(session.applySettings({ model: 'opus' })).rejects.toMatchObject(refused);
      const { session: plain, cli } = await start({}, release('2.1.197'));
      void plain.applySettings({ model: 'opus' });
      await cli.got('apply_flag_settings');
    },
  );

  it('[C-5, X-2] is refused even if the version becomes known only after the call', async () => {
    const { session } = openProcess({ version: OLD, versionMs: 300 });
    await session.ready;
    const refused = { code: 'unsupported-request', found: OLD };
    await expect(session.getSettings()).rejects.toMatchObject(refused);
  });

  it('[C-5, S-6] is refused if it is clear(), even if the version becomes known only after the call', async () => {
    const { session } = openProcess({ version: OLD, versionMs: 300 });
    await session.ready;
    await expect(session.clear()).rejects.toMatchObject({ code: 'unsupported-request', kind: 'clear' });
  });

  it('[C-5, S-6] is refused if it is clear(), before its prompt is sent: an old CLI would answer it without clearing', async () => {
    const { session, cli } = await start({}, release(OLD));
    await expect(session.clear()).rejects.toMatchObject({ code: 'unsupported-request', kind: 'clear' });
    expect(cli.story).toEqual(['initialize']);
  });

  it('[C-5, X-1] is sent to a release that has it', async () => {
    const { session, cli } = await start({}, release(FEATURES_SINCE.set_model ?? ''));
    await session.setModel('opus');
    expect(cli.story).toEqual(['initialize', 'set_model']);
  });

  it('[C-4, X-1] is sent with skipVersionCheck, whatever the release', async () => {
    const { session, cli } = await start({ skipVersionCheck: true }, release(OLD));
    await session.setModel('opus');
    expect(cli.story).toEqual(['initialize', 'set_model']);
  });

  it('[C-5, S-9] is not awaited if it is end_session', async () => {
    const { session, cli } = await start({}, release(OLD));
    await session.close();
    expect(cli.story).toEqual(['initialize', 'interrupt', 'EOF']);
  });
});

describe('a hook result that the release ignores', () => {
  const hooks = { PreToolUse: () => modifyInput({ command: 'ls' }) };
  const denied = { hookSpecificOutput: { permissionDecision: 'deny' } };
  const ignored = (warnings: readonly Warning[]) => warnings.filter(({ code }) => code === 'decision-not-expressible');
  const modified = { hookSpecificOutput: { updatedInput: { command: 'ls' } } };

  it('[H-4] denies the tool', async () => {
    const { cli, warnings } = await start({ hooks }, release(OLD));
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject(denied);
    expect(ignored(warnings)).toMatchObject([{ context: { hook: 'hook_0', required: '2.1.2' } }]);
  });

  it('[H-4] denies the tool while the release is unknown, but not once it is known to be recent', async () => {
    const { session, cli } = await start({ hooks }, new FakeCli({ initialize: success({}) }));
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject(denied);
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.say({ ...INIT, claude_code_version: '2.1.325', user_message_uuids: [prompt.uuid] });
    cli.askHook('h2');
    expect(await cli.answered('h2')).toMatchObject(modified);
    cli.finish(prompt);
    await turn.result();
  });

  it('[H-4, C-4] is sent with skipVersionCheck, whatever the release', async () => {
    const { cli, warnings } = await start({ hooks, skipVersionCheck: true }, release(OLD));
    cli.askHook('h1');
    expect(await cli.answered('h1')).toMatchObject(modified);
    expect(ignored(warnings)).toEqual([]);
  });
});
