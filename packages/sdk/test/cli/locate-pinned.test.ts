import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { locateCli } from '../../src/cli/locate.ts';
import { BINARY_HEAD, put, temporaryFolder } from '../fixtures/cli/files.ts';

const install = vi.hoisted(() => ({ loaded: 0, calls: [] as unknown[], path: '' }));

vi.mock('../../src/cli/install.ts', () => {
  install.loaded += 1;
  return {
    installCli: async (options: { version?: string }) => {
      install.calls.push(options);
      return { path: install.path, version: options.version ?? '2.1.325' };
    },
  };
});

beforeEach(() => {
  install.calls = [];
  install.path = put(join(temporaryFolder(), 'claude'), BINARY_HEAD);
});

describe('the pinned CLI', () => {
  it('[C-1, C-2] has nothing to do with auto: its code is not even loaded', async () => {
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

  it('[C-1, C-2] is installed when asked for', async () => {
    const host = { env: { SOME: 'thing' }, platform: 'linux' };
    expect(await locateCli({ cli: 'pinned' }, host)).toMatchObject({
      path: install.path,
      command: [install.path],
      kind: 'native',
      source: 'pinned',
      packageVersion: '2.1.325',
    });
    expect(install.calls).toEqual([expect.objectContaining({ env: host.env, version: undefined })]);
  });

  it('[C-1, C-2] is what auto means with COXSWAIN_CLI=pinned', async () => {
    const host = { env: { COXSWAIN_CLI: 'pinned' }, platform: 'linux' };
    expect(await locateCli({}, host)).toMatchObject({ path: install.path, source: 'pinned' });
    expect(await locateCli({ cli: 'auto' }, host)).toMatchObject({ source: 'pinned' });
    const other = put(join(temporaryFolder(), 'claude'), BINARY_HEAD);
    expect(await locateCli({ cli: other }, host)).toMatchObject({ path: other, source: 'option' });
  });

  it('[C-2] can be another version', async () => {
    const found = await locateCli({ cli: 'pinned', cliVersion: '2.1.197' }, { env: {}, platform: 'linux' });
    expect(found.packageVersion).toBe('2.1.197');
    expect(install.calls).toEqual([expect.objectContaining({ version: '2.1.197' })]);
  });
});
