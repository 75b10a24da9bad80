import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { inspectCli } from '../../src/cli/inspect.ts';
import type { LocateHost } from '../../src/cli/locate.ts';
import { MINIMUM_VERSION, PINNED_VERSION } from '../../src/cli/version.ts';
import { program, put, temporaryFolder } from '../fixtures/cli/files.ts';

function emptyMachine(): LocateHost & { homedir: string } {
  const homedir = temporaryFolder();
  const env = { HOME: homedir, PATH: process.env.PATH, XDG_CACHE_HOME: join(homedir, 'cache') };
  return { env, platform: process.platform, homedir, from: homedir };
}

describe('inspectCli', () => {
  it('[C-1] reports the CLI with its location, version and features', async () => {
    const cli = program('prints-version');
    const inspection = await inspectCli({ cli, env: { FAKE_VERSION: '999.1.2' } }, emptyMachine());
    expect(inspection).toEqual({
      found: expect.objectContaining({ path: cli, foundAt: cli, command: [cli], source: 'option', kind: 'script' }),
      searched: [],
      version: { kind: 'found', version: '999.1.2', source: 'probe' },
      supported: 'yes',
      minimum: MINIMUM_VERSION,
      newer: { version: '999.1.2', measured: PINNED_VERSION, differences: [] },
      pinned: PINNED_VERSION,
    });
    expect(JSON.parse(JSON.stringify(inspection))).toEqual(inspection);
  });

  it('[C-1, C-4] reports a version that is too old or unknown', async () => {
    const host = emptyMachine();
    const old = await inspectCli({ cli: program('prints-version'), env: { FAKE_VERSION: '2.1.96' } }, host);
    expect(old.supported).toBe('no');
    const silent = await inspectCli({ cli: program('fails') }, host);
    expect(silent).toMatchObject({ version: { kind: 'failed' }, supported: 'unknown' });
  });

  it('[C-1] reports the searched locations if no CLI was found, without throwing', async () => {
    const host = { ...emptyMachine(), env: { PATH: temporaryFolder() } };
    const inspection = await inspectCli({ cli: join(host.homedir, 'nothing') }, host);
    expect(inspection).toMatchObject({
      found: undefined,
      version: undefined,
      searched: [{ place: join(host.homedir, 'nothing'), reason: 'does not exist' }],
      supported: 'no',
    });
  });

  it('[C-1] searches like a run', async () => {
    const host = emptyMachine();
    const cli = put(join(host.homedir, '.claude/local/claude'), '#!/bin/sh\necho 2.1.1\n');
    const inspection = await inspectCli({ cli: 'global' }, { ...host, env: { PATH: '/no/such/folder' } });
    expect(inspection.found).toMatchObject({ path: cli, source: 'usual place' });
    expect(inspection.searched).toEqual([{ place: '/no/such/folder/claude', reason: 'does not exist' }]);
  });

  it.each([
    ['cli', { cli: 'pinned' }, {}],
    ['COXSWAIN_CLI', {}, { COXSWAIN_CLI: 'pinned' }],
  ])(
    '[C-1, C-2] reports that the pinned CLI of %s is not installed, without installing it',
    async (_, options, env) => {
      const machine = emptyMachine();
      const host = { ...machine, env: { ...machine.env, ...env } };
      const inspection = await inspectCli(options, host);
      expect(inspection.found).toBeUndefined();
      expect(inspection.searched).toEqual([
        {
          place: expect.stringContaining(join(host.homedir, 'cache/coxswain/cli')),
          reason: expect.stringContaining('not installed'),
        },
      ]);
    },
  );

  it('[C-1, C-2] reports an invalid cliVersion', async () => {
    const { searched } = await inspectCli({ cli: 'pinned', cliVersion: '../../latest' }, emptyMachine());
    expect(searched[0]?.reason).toContain('exact version');
  });
});
