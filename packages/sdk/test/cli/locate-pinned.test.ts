import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { locateCli } from '../../src/cli/locate.ts';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { BINARY_HEAD, put, temporaryFolder } from '../fixtures/cli/files.ts';

const install = vi.hoisted(() => ({ loaded: 0, calls: [] as unknown[], path: '' }));

vi.mock('../../src/cli/install.ts', () => {
  install.loaded += 1;
  return {
    installCli: async (options: { version?: string }) => {
      install.calls.push(options);
      return { path: install.path, version: options.version ?? PINNED_VERSION };
    },
  };
});

beforeEach(() => {
  install.calls = [];
  install.path = put(join(temporaryFolder(), 'claude'), BINARY_HEAD);
});

describe('the pinned CLI', () => {
  it('[C-1, C-2] does not load its code for auto', async () => {
    const host = {
      env: { PATH: '/no/such/folder' },
      platform: 'linux',
      homedir: temporaryFolder(),
      from: temporaryFolder(),
    };
    await locateCli({}, host).catch(() => {});
    await locateCli({ cli: 'global' }, host).catch(() => {});
    await locateCli({ cli: install.path }, host);
    expect(install).toMatchObject({ loaded: 0, calls: [] });
  });

  it('[C-1, C-2] is installed if it is requested', async () => {
    const host = { env: { SOME: 'thing' }, platform: 'linux' };
    expect(await locateCli({ cli: 'pinned' }, host)).toMatchObject({
      path: install.path,
      command: [install.path],
      kind: 'native',
      source: 'pinned',
      packageVersion: PINNED_VERSION,
    });
    expect(install.calls).toEqual([expect.objectContaining({ env: host.env, version: undefined })]);
  });

  it('[C-1, C-2] is used by auto with COXSWAIN_CLI=pinned', async () => {
    const host = { env: { COXSWAIN_CLI: 'pinned' }, platform: 'linux' };
    expect(await locateCli({}, host)).toMatchObject({ path: install.path, source: 'pinned' });
    expect(await locateCli({ cli: 'auto' }, host)).toMatchObject({ source: 'pinned' });
    const other = put(join(temporaryFolder(), 'claude'), BINARY_HEAD);
    expect(await locateCli({ cli: other }, host)).toMatchObject({ path: other, source: 'option' });
  });

  it('[C-2] can have another version', async () => {
    const found = await locateCli({ cli: 'pinned', cliVersion: '2.1.197' }, { env: {}, platform: 'linux' });
    expect(found.packageVersion).toBe('2.1.197');
    expect(install.calls).toEqual([expect.objectContaining({ version: '2.1.197' })]);
  });
});
