import { describe, expect, it } from 'vitest';
import type { Warning } from '../../src/warnings/warning.ts';
import { FakeCli, start, success } from '../support/fake-cli.ts';

const DENY = { permissions: { deny: ['Bash(rm *)'] } };

/** A CLI that lists these settings as applied. */
const listing = (settings: object, errors: object[] = []): FakeCli =>
  new FakeCli({
    apply_flag_settings: success({}),
    get_settings: success({ sources: [{ source: 'flagSettings', settings }], errors }),
  });

describe('applySettings()', () => {
  it('[O-9] rejects if the CLI does not list a setting, and restores the settings applied before', async () => {
    const { session, cli } = await start({}, listing(DENY));
    await session.applySettings(DENY);
    const unreadable = session.applySettings({ permissions: { deny: [] }, cleanupPeriodDays: 'a month' });
    await expect(unreadable).rejects.toMatchObject({ code: 'options', message: expect.stringContaining('settings') });
    const undone = await cli.got('apply_flag_settings', 3);
    expect(undone.request?.settings).toEqual({ ...DENY, cleanupPeriodDays: null });
    await session.close();
  });

  it('[O-9] rejects with the reason if the CLI reports one, even for a setting that is also in the options', async () => {
    const error = { file: 'SDK inline settings', path: 'permissions.deny', message: 'Expected array' };
    const { session } = await start({}, listing(DENY, [error]));
    await expect(session.applySettings(DENY)).rejects.toThrow('permissions.deny: Expected array');
    await session.close();
  });

  it('[O-9] warns if it replaces deny rules', async () => {
    const warnings: Warning[] = [];
    const { session } = await start({ onWarning: (warned) => warnings.push(warned) }, listing(DENY));
    await session.applySettings(DENY);
    await session.applySettings(DENY);
    expect(warnings).toEqual([]);
    await session.applySettings({ permissions: { allow: ['Read'] } });
    expect(warnings).toMatchObject([{ code: 'guard-replaced', context: { rules: ['Bash(rm *)'] } }]);
    await session.close();
  });
});
