import { afterEach, describe, expect, it, vi } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { type HooksHost, requireHooks } from '../../src/conversation/required-hooks.ts';
import { droppedSettings } from '../../src/conversation/required-settings.ts';
import { checkLateSettings } from '../../src/options/late-changes.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';

const OFF = { env: { CLAUDE_CODE_SIMPLE: '1' } };
const hooks = { PreToolUse: () => undefined };

/** A session with a hook whose CLI has these settings, and its received requests. */
function host(effective: unknown, given: AgentOptions = {}, known = true): { host: HooksHost; asked: string[] } {
  const asked: string[] = [];
  const send = async (subtype: string): Promise<unknown> => {
    asked.push(subtype);
    return { effective };
  };
  const cli = { release: known ? PINNED_VERSION : undefined, versionKnown: async () => {}, has: () => known };
  return {
    host: { plan: { given: { hooks, ...given }, hooks: [{}] }, requests: { send }, cli },
    asked,
  };
}

describe('settings on disk that prevent the CLI from calling hooks', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('[H-1] fail the start of a session with hooks', async () => {
    const error = {
      code: 'options',
      problems: [{ path: 'hooks', message: expect.stringContaining('settingSources') }],
    };
    await expect(requireHooks(host(OFF).host)).rejects.toMatchObject(error);
    await expect(requireHooks(host({ env: { CLAUDE_CODE_SIMPLE: '0' } }).host)).resolves.toBeUndefined();
    await expect(requireHooks(host(undefined).host)).resolves.toBeUndefined();
  });

  it('[H-1] fail the start even if the CLI takes seconds to list them; no prompt is sent meanwhile', async () => {
    vi.useFakeTimers();
    const { host: slow } = host(OFF);
    const send = () => new Promise((resolve) => setTimeout(resolve, 3_000, { effective: OFF }));
    const started = expect(requireHooks({ ...slow, requests: { send } })).rejects.toMatchObject({ code: 'options' });
    await vi.advanceTimersByTimeAsync(3_000);
    await started;
  });

  it('[H-1] are not requested without settings on disk, or from a release that does not support the request', async () => {
    const sessions = [
      host(OFF, { settingSources: [] }),
      host(OFF, { transport: () => undefined as never }),
      host(OFF, { settings: {} }, false),
    ];
    for (const session of sessions) {
      await requireHooks(session.host);
      expect(session.asked).toEqual([]);
    }
  });

  it('[H-1] are refused by applySettings() in a session with hooks', () => {
    expect(() => checkLateSettings({ hooks }, OFF)).toThrow(/settings\.env\.CLAUDE_CODE_SIMPLE: keeps the CLI/);
    expect(() => checkLateSettings({}, OFF)).not.toThrow();
  });
});

describe('settings of the options that the CLI drops', () => {
  const settings = { permissions: { deny: ['Bash(rm *)'] }, model: 5 };
  const errors = [{ file: 'settings.json', path: 'model', message: 'Expected string, but received number' }];

  it('[O-9] cause an error with the reason of the CLI, because rules in them do not apply', () => {
    expect(droppedSettings(settings, { effective: {}, sources: [], errors })).toMatchObject({
      code: 'options',
      problems: [
        { path: 'settings', message: expect.stringContaining('(model: Expected string, but received number)') },
      ],
    });
    expect(droppedSettings(settings, { sources: [{ source: 'userSettings', settings: {} }] })).toMatchObject({
      problems: [{ path: 'settings' }],
    });
  });

  it('[O-9] are requested even without hooks', async () => {
    const session = host({}, { settings: { permissions: { deny: ['Bash'] } }, settingSources: [] });
    await requireHooks({ ...session.host, plan: { ...session.host.plan, hooks: [] } });
    expect(session.asked).toEqual(['get_settings']);
  });

  it('[O-9] cause no error if the CLI lists them, or reports no sources', () => {
    const listed = { sources: [{ source: 'flagSettings', settings }], errors };
    for (const answer of [listed, {}, undefined]) expect(droppedSettings(settings, answer)).toBeUndefined();
    for (const harmless of [undefined, {}, '/a/path.json', { model: 'opus' }]) {
      expect(droppedSettings(harmless, { sources: [] })).toBeUndefined();
    }
  });
});
