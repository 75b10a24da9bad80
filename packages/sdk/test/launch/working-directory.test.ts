import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { workingDirectory } from '../../src/launch/working-directory.ts';
import type { AgentOptions } from '../../src/options/option-types.ts';
import { createPool } from '../../src/pool/create-pool.ts';
import { query } from '../../src/query/query.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { temporaryFolder } from '../fixtures/cli/files.ts';
import { startHost } from '../support/hosts.ts';
import { cliPath } from '../support/say.ts';

const CLI: AgentOptions = {
  cli: cliPath('session-cli.mjs'),
  versionCheck: 'off',
  orphanGuard: false,
  env: { SESSION_CLI: '{}' },
};
const HERE = process.cwd();

afterEach(() => process.chdir(HERE));

/** Calls a function in a folder, and changes to another folder immediately afterwards. */
function calledIn<T>(folder: string, call: () => T): T {
  process.chdir(folder);
  const returned = call();
  process.chdir(temporaryFolder());
  return returned;
}

describe('changing the working directory of the host after the call', () => {
  it('[C-11] does not affect a query', async () => {
    const folder = temporaryFolder();
    const stream = calledIn(folder, () => query('cwd', { ...CLI, hooks: { Stop: () => undefined } }));
    expect(await stream.text()).toBe(folder);
  });

  it('[C-11] does not affect a session with a relative cwd and a relative CLI path', async () => {
    const folder = temporaryFolder();
    symlinkSync(cliPath('session-cli.mjs'), join(folder, 'claude'));
    await using session = calledIn(folder, () => openSession({ ...CLI, cli: './claude', cwd: '.' }));
    expect(await session.send('cwd').text()).toBe(folder);
  });

  it('[C-11, A-2] does not affect a restarted CLI', async () => {
    const folder = temporaryFolder();
    await using session = calledIn(folder, () => openSession({ ...CLI, restart: { delayMs: 0 } }));
    expect(await session.send('cwd').text()).toBe(folder);
    await expect(session.send('die').result()).rejects.toMatchObject({ code: 'turn-interrupted' });
    expect(await session.send('cwd').text()).toBe(folder);
  });

  it('[C-11, S-6] does not affect a fork, which would not find its conversation', async () => {
    const folder = temporaryFolder();
    await using session = calledIn(folder, () => openSession(CLI));
    await session.send('hello').result();
    await using fork = await session.fork();
    expect(await fork.send('cwd').text()).toBe(folder);
  });

  it('[C-11, A-4] does not affect the keys of a pool', async () => {
    const folder = temporaryFolder();
    const pool = calledIn(folder, () => createPool({ size: 1, idleMs: 60_000, defaults: CLI }));
    expect(await pool.submit({ key: 'a', prompt: 'cwd' }).text()).toBe(folder);
    process.chdir(temporaryFolder());
    // Free the slot: the key's next job starts another process.
    expect(await pool.submit({ key: 'b', prompt: 'cwd' }).text()).toBe(folder);
    expect(await pool.submit({ key: 'a', prompt: 'cwd' }).text()).toBe(folder);
    await pool.close();
  });
});

describe('the working directory of a run', () => {
  it.each<[string, AgentOptions, string | undefined]>([
    ['no cwd', {}, '/host'],
    ['an empty cwd', { cwd: '' }, '/host'],
    ['a relative cwd', { cwd: 'sub/../other' }, '/host/other'],
    ['an absolute cwd', { cwd: '/elsewhere' }, '/elsewhere'],
    ['no cwd for a custom spawn, which may start the CLI elsewhere', { spawn: () => process as never }, undefined],
    ['a relative cwd for a transport', { cwd: 'sub', transport: () => process as never }, 'sub'],
    ['no cwd for a transport', { transport: () => process as never }, undefined],
  ])('[C-11] with %s', (_, options, expected) => {
    expect(workingDirectory({ options, hostCwd: '/host' })).toBe(expected);
  });

  it('[C-11] is an error only if it depends on the removed folder of the host', () => {
    const removed = expect.objectContaining({
      code: 'spawn',
      reason: 'cwd',
      message: expect.stringContaining('no longer'),
    });
    expect(() => workingDirectory({ options: {}, hostCwd: undefined })).toThrow(removed);
    expect(() => workingDirectory({ options: { cwd: 'sub' }, hostCwd: undefined })).toThrow(removed);
    expect(workingDirectory({ options: { cwd: '/elsewhere' }, hostCwd: undefined })).toBe('/elsewhere');
  });
});

it('[C-11, E-4] a host in a removed folder gets an error with the reason, and can run the CLI in another folder', async () => {
  const host = startHost('works-in-a-removed-folder.mjs', cliPath('session-cli.mjs'));
  for (const entry of ['query', 'session', 'pool'])
    expect(`${entry}: ${await host.line()}`).toBe(`${entry}: spawn cwd`);
  expect(await host.line()).toBe('/');
  expect(await host.exited).toEqual({ code: 0, signal: null });
});
