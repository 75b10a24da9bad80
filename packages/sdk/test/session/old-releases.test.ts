import { describe, expect, it } from 'vitest';
import { replaceOutput } from '../../src/callbacks/decisions.ts';
import { FEATURES_SINCE } from '../../src/cli/feature-gate.ts';
import { MINIMUM_VERSION, PINNED_VERSION } from '../../src/cli/version.ts';
import { UnsupportedOptionError } from '../../src/errors/options.ts';
import { UnsupportedRequestError } from '../../src/errors/session.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { query } from '../../src/query/query.ts';
import type { Session } from '../../src/session/session.ts';
import type { Warning } from '../../src/warnings/warning.ts';
import { FakeCli, open, start, success } from '../support/fake-cli.ts';
import { isAlive } from '../support/processes.ts';
import { INIT } from '../support/say.ts';
import { openProcess, pidOf } from '../support/session-process.ts';

const OLD = MINIMUM_VERSION;
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

  it('[C-4, C-5] continues with versionCheck "off"', async () => {
    const { session } = openProcess({ version: OLD }, { ...guard, versionCheck: 'off' });
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
    ['get_usage', (session) => session.request('get_usage')],
    ['list_models', (session) => session.request('list_models')],
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
    await expect(session.request('get_usage')).rejects.toMatchObject(refused);
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
    const { session, cli } = await start({}, release(FEATURES_SINCE.get_usage ?? ''));
    await session.request('get_usage');
    expect(cli.story).toEqual(['initialize', 'get_usage']);
  });

  it('[C-4, X-1] is sent with versionCheck "off", whatever the release', async () => {
    const { session, cli } = await start({ versionCheck: 'off' }, release(OLD));
    await session.request('get_usage');
    expect(cli.story).toEqual(['initialize', 'get_usage']);
  });
});

describe('a hook result that the release ignores', () => {
  const hooks = { PostToolUse: () => replaceOutput('b') };
  const ended = { continue: false };
  const ignored = (warnings: readonly Warning[]) => warnings.filter(({ code }) => code === 'decision-not-expressible');
  const replaced = { hookSpecificOutput: { updatedToolOutput: 'b' } };

  it('[H-4] ends the turn', async () => {
    const { cli, warnings } = await start({ hooks }, release(OLD));
    cli.askHook('h1', 'PostToolUse');
    expect(await cli.answered('h1')).toMatchObject(ended);
    expect(ignored(warnings)).toMatchObject([{ context: { hook: 'hook_0', required: '2.1.121' } }]);
  });

  it('[H-4] ends the turn while the release is unknown, but not once it is known to be recent', async () => {
    const { session, cli } = await start({ hooks }, new FakeCli({ initialize: success({}) }));
    cli.askHook('h1', 'PostToolUse');
    expect(await cli.answered('h1')).toMatchObject(ended);
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.say({ ...INIT, claude_code_version: PINNED_VERSION, user_message_uuids: [prompt.uuid] });
    cli.askHook('h2', 'PostToolUse');
    expect(await cli.answered('h2')).toMatchObject(replaced);
    cli.finish(prompt);
    await turn.result();
  });

  it('[H-4, C-4] is sent with versionCheck "off", whatever the release', async () => {
    const { cli, warnings } = await start({ hooks, versionCheck: 'off' }, release(OLD));
    cli.askHook('h1', 'PostToolUse');
    expect(await cli.answered('h1')).toMatchObject(replaced);
    expect(ignored(warnings)).toEqual([]);
  });
});

describe('a CLI behind a transport that reports a release below the minimum', () => {
  const tooOld = { code: 'unsupported-cli-version', found: '2.1.96', required: MINIMUM_VERSION };

  it('[C-4] is refused in the handshake', async () => {
    const { session } = open(release('2.1.96'));
    await expect(session.ready).rejects.toMatchObject(tooOld);
  });

  it('[C-4] is refused at its init, before it calls a tool', async () => {
    const { session, cli } = await start({}, new FakeCli({ initialize: success({ commands: [] }) }));
    const turn = session.send('go');
    const prompt = await cli.got('prompt go');
    cli.say({ ...INIT, claude_code_version: '2.1.96', user_message_uuids: [prompt.uuid] });
    await expect(turn.result()).rejects.toMatchObject(tooOld);
    await expect(session.closed).resolves.toBeDefined();
    expect(session.state).toBe('failed');
  });

  it('[C-4] ends a query at its init', async () => {
    const cli = new FakeCli();
    await using stream = query('go', { transport: cli });
    cli.say({ ...INIT, claude_code_version: '2.1.96' });
    await expect(stream.result()).rejects.toMatchObject(tooOld);
  });

  it('[C-4] runs with versionCheck "off"', async () => {
    const { session, cli } = await start({ versionCheck: 'off' }, release('2.1.96'));
    const turn = session.send('go');
    cli.reply(await cli.got('prompt go'));
    await turn.result();
  });
});
