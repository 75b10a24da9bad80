import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { isAlive } from '../support/processes.ts';
import { openProcess, pidOf } from '../support/session-process.ts';

describe('a process that fails to become a session', () => {
  it('[S-1] has exited when the start rejects: timeout', async () => {
    const { session, events } = openProcess({ silent: true, stubborn: true }, { limits: { startTimeoutMs: 300 } });
    await expect(session.ready).rejects.toMatchObject({ name: 'InitializationTimeoutError', ms: 300 });
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[S-1] has exited when the start rejects: exit, with its last output', async () => {
    const { session, events } = openProcess({ exit: [1, 'Error: Invalid MCP configuration:\nno such file\n'] });
    await expect(session.ready).rejects.toMatchObject({
      name: 'CliExitedDuringInitError',
      exitCode: 1,
      message: expect.stringMatching(/Invalid MCP configuration:\nno such file\. Check mcpServers/),
    });
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[S-1] has exited when the start is aborted', async () => {
    const controller = new AbortController();
    const { session, events } = openProcess({ silent: true }, { signal: controller.signal });
    session.ready.catch(() => {});
    for await (const event of session.events()) if (event.type === 'request-sent') break;
    controller.abort();
    await expect(session.ready).rejects.toMatchObject({ name: 'AbortError' });
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[S-1, C-3, C-11] is never started if the program or the folder is missing', async () => {
    await expect(openProcess({}, { cli: '/nowhere/claude' }).session.ready).rejects.toMatchObject({
      name: 'CliNotFoundError',
    });
    await expect(openProcess({}, { cwd: '/nowhere' }).session.ready).rejects.toMatchObject({
      name: 'SpawnError',
      reason: 'cwd',
    });
  });
});

describe('the version of a session’s CLI', () => {
  it('[S-1, C-4] takes precedence over the exit that it causes', async () => {
    const { session } = openProcess({
      version: '0.1.0',
      versionMs: 200,
      exit: [1, "error: unknown option '--verbose'\n"],
    });
    await expect(session.ready).rejects.toMatchObject({ name: 'UnsupportedCliVersionError', found: '0.1.0' });
  });

  it('[S-1, C-4] ends a started session if it is not supported', async () => {
    const { session, events } = openProcess({ version: '0.1.0', versionMs: 100 });
    await session.closed;
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: { code: 'unsupported-cli-version' } });
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[Q-15] is awaited when a session ends earlier; a version that is too old then causes a warning', async () => {
    const { session, events } = openProcess({ version: '0.1.0', versionMs: 500 });
    expect(await session.send('hi').text()).toBe('you said hi');
    await session.close();
    const warned = events.flatMap((event) => (event.type === 'warning' ? event.warning.code : []));
    expect(warned).toEqual(['unsupported-cli-version']);
    expect(events.at(-1)).toMatchObject({ type: 'stopped' });
  });

  it('[C-4, S-15] causes a warning if it cannot be determined, and the session runs', async () => {
    const { session, events } = openProcess({ version: 'no idea' });
    expect(await session.send('hi').text()).toBe('you said hi');
    const codes = (): string[] => events.flatMap((event) => (event.type === 'warning' ? event.warning.code : []));
    if (codes().length === 0) for await (const event of session.events()) if (event.type === 'warning') break;
    expect(codes()).toEqual(['unknown-cli-version']);
  });

  it('[S-1, C-4] is awaited if the CLI exits, but only until the check ends', async () => {
    const { session } = openProcess({ version: PINNED_VERSION, exit: [7, 'bye\n'] });
    await expect(session.ready).rejects.toMatchObject({ name: 'CliExitedDuringInitError', exitCode: 7 });
  });
});
