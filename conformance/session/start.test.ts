import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { RunEvent } from 'coxswain';
import { CliExitedDuringInitError, CliNotFoundError, OptionsError, SpawnError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { noneLeft } from '../harness/none-left.ts';
import { supportedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

describe.concurrent('starting a session', () => {
  it('[S-1, S-15] fails without a CLI, without a folder, or with invalid options', async () => {
    await using stage = await openStage([]);
    const nowhere = join(stage.home.root, 'nowhere');
    await expect(stage.start({ cli: nowhere })).rejects.toBeInstanceOf(CliNotFoundError);
    const failure = await stage.start({ cwd: nowhere }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SpawnError);
    expect(failure).toMatchObject({ reason: 'cwd', message: expect.stringContaining(nowhere) });
    await expect(stage.start({ forkSession: true })).rejects.toBeInstanceOf(OptionsError);
    expect(stage.processes()).toEqual([]);
  });

  it('[S-1] is limited: only a few CLIs start at the same time, however many sessions are opened', async () => {
    await using stage = await openStage([]);
    const usual = 2 * availableParallelism();
    let starting = 0;
    let most = 0;
    const onEvent = ({ type }: RunEvent): void => {
      if (type === 'started') most = Math.max(most, ++starting);
      if (type === 'ready') starting--;
    };
    const sessions = Array.from({ length: usual + 2 }, () => stage.open({ onEvent }));
    await Promise.all(sessions.map(({ ready }) => ready));
    expect(starting).toBe(0);
    expect(most).toBeLessThanOrEqual(usual);
  });
});

describe.concurrent.each(supportedVersions)('a session with %s that cannot start', (version) => {
  it('[S-1, S-15] reports the CLI’s message about a flag', async () => {
    await using stage = await openStage([], { version });
    const session = stage.open({ extraArgs: { 'no-such-flag': null } });
    const unsent = session
      .send('first prompt')
      .text()
      .catch((error: unknown) => error);
    const failure = await session.ready.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CliExitedDuringInitError);
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("unknown option '--no-such-flag'"),
      stderrTail: expect.stringContaining("unknown option '--no-such-flag'"),
    });
    expect(await unsent).toBe(failure);
    expect(session.state).toBe('failed');
    expect(stage.processes()).toEqual([]);
  });

  it('[S-1, S-15] immediately reports that the conversation does not exist, with the CLI’s own message', async () => {
    await using stage = await openStage([], { version });
    const missing = '99999999-9999-4999-8999-999999999999';
    const startedAt = performance.now();
    const session = stage.open({ resume: missing });
    const unanswered = session.contextUsage().catch((error: unknown) => error);
    const failure = await session.ready.catch((error: unknown) => error);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(failure).toBeInstanceOf(CliExitedDuringInitError);
    expect(failure).toMatchObject({
      message: expect.stringContaining(`No conversation found with session ID: ${missing}`),
    });
    expect(await unanswered).toBe(failure);
    // The CLI exits by itself, and so do the helper processes that it has just started.
    await noneLeft(stage);
  });
});
