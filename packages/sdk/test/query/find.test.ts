import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { query } from '../../src/query/query.ts';
import { put, temporaryFolder } from '../fixtures/cli/files.ts';
import { cliPath, ORDINARY, say } from '../support/say.ts';
import { script } from '../support/say-script.ts';

afterEach(() => vi.unstubAllEnvs());

const errorOf = (cli: string): Promise<unknown> =>
  query('hello', { cli, versionCheck: 'off' }).started.catch((error: unknown) => error);

describe('a CLI that does not exist', () => {
  it('[C-3] fails with its path, the reason and what to do', async () => {
    const folder = temporaryFolder();
    const file = put(join(folder, 'claude'), '#!/bin/sh\n', 0o644);
    mkdirSync(join(folder, 'directory'));
    const shim = put(join(folder, 'claude.cmd'));
    for (const [cli, reason] of [
      [join(folder, 'nothing'), 'does not exist'],
      [join(folder, 'directory'), 'is a directory'],
      [file, expect.stringContaining('is not executable')],
      [shim, expect.stringContaining('only a shell can start')],
    ] as const) {
      const error = await errorOf(cli);
      expect(error).toMatchObject({ code: 'cli-not-found', searched: [{ place: cli, reason }] });
      expect(String(error)).toMatch(/Correct cli, or pass .*Searched, in order/s);
    }
  });

  it('[C-3, Q-1] one that cannot be run is a SpawnError', async () => {
    const cli = put(join(temporaryFolder(), 'claude'), '#!/no/such/interpreter\n');
    expect(await errorOf(cli)).toMatchObject({ code: 'spawn', reason: 'not-found', path: cli });
  });

  it('[C-11] a working directory that is a file is a different error', async () => {
    const cwd = put(join(temporaryFolder(), 'file'));
    await expect(say([...ORDINARY], { cwd }).stream.started).rejects.toMatchObject({
      code: 'spawn',
      reason: 'cwd',
      message: expect.stringContaining('is not a directory'),
    });
  });
});

it('[C-1] COXSWAIN_CLI names the CLI of a query without the option cli', async () => {
  vi.stubEnv('COXSWAIN_CLI', cliPath('say.sh'));
  const stream = query('hello', { versionCheck: 'off', orphanGuard: false, env: { SAY: script(ORDINARY) } });
  expect(await stream.text()).toBe('done');
});
