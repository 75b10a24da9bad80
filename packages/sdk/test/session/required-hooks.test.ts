import { describe, expect, it } from 'vitest';
import { checkLateSettings } from '../../src/options/late-changes.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { type HooksHost, requireHooks } from '../../src/session/required-hooks.ts';

const OFF = { env: { CLAUDE_CODE_SIMPLE: '1' } };
const hooks = { PreToolUse: () => undefined };

/** A session with a hook whose CLI has these settings, and its received requests. */
function host(effective: unknown, given: AgentOptions = {}, known = true): { host: HooksHost; asked: string[] } {
  const asked: string[] = [];
  const send = async (subtype: string): Promise<unknown> => {
    asked.push(subtype);
    return { effective };
  };
  const cli = { release: known ? '2.1.325' : undefined, versionKnown: async () => {}, has: () => known };
  return {
    host: { plan: { given: { hooks, ...given }, hooks: [{}] }, requests: { send }, cli, fail: () => {} },
    asked,
  };
}

describe('settings on disk that prevent the CLI from calling hooks', () => {
  it('[H-1] fail the start of a session with hooks', async () => {
    const error = {
      code: 'options',
      problems: [{ path: 'hooks', message: expect.stringContaining('settingSources') }],
    };
    await expect(requireHooks(host(OFF).host)).rejects.toMatchObject(error);
    await expect(requireHooks(host({ env: { CLAUDE_CODE_SIMPLE: '0' } }).host)).resolves.toBeUndefined();
    await expect(requireHooks(host(undefined).host)).resolves.toBeUndefined();
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
