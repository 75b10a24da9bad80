import { join } from 'node:path';
import { text } from '@coxswain/testkit';
import { CliExitedDuringInitError, CliNotFoundError, OptionsError, SpawnError } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { testedVersions } from '../harness/real-cli.ts';
import { openStage } from './stage.ts';

describe.concurrent.each(testedVersions)('starting sessions with %s', (version) => {
  it('[S-1] eight at once works: each has its own conversation', async () => {
    await using stage = await openStage(({ lastUserText }) => text(`${lastUserText} to you`), { version });
    const sessions = Array.from({ length: 8 }, () => stage.open());
    const said = await Promise.all(sessions.map((session, index) => session.send(`hello ${index}`).text()));
    expect(said).toEqual(sessions.map((_, index) => `hello ${index} to you`));
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(8);
    expect(new Set(sessions.map(({ pid }) => pid)).size).toBe(8);
    expect(new Set(stage.api.conversation.map(({ sessionId }) => sessionId)).size).toBe(8);
  });

  it('[S-1, S-15] fails with what the CLI said when it refuses a flag', async () => {
    await using stage = await openStage([], { version });
    const session = stage.open({ extraArgs: { 'no-such-flag': null } });
    const turn = session.send('first prompt');
    const failure = await session.ready.catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(CliExitedDuringInitError);
    expect(failure).toMatchObject({
      exitCode: 1,
      message: expect.stringContaining("unknown option '--no-such-flag'"),
      stderrTail: expect.stringContaining("unknown option '--no-such-flag'"),
    });
    const unsent = await turn.text().catch((error: unknown) => error);
    expect([unsent, (unsent as Error).cause]).toContain(failure);
    expect(session.state).toBe('failed');
    expect(stage.processes()).toEqual([]);
  });

  it('[S-1] fails when its id is taken', async () => {
    await using stage = await openStage([text('first answer')], { version });
    const first = await stage.start();
    await first.send('first prompt').text();
    await first.stop();
    await expect(stage.start({ sessionId: first.id })).rejects.toMatchObject({
      code: 'cli-exited-during-init',
      message: expect.stringContaining('is already in use'),
    });
  });
});

describe.concurrent('starting a session', () => {
  it('[S-1, S-15] fails when there is no CLI, no folder, or no sense in the options', async () => {
    await using stage = await openStage([]);
    const nowhere = join(stage.home.root, 'nowhere');
    await expect(stage.start({ cli: nowhere })).rejects.toBeInstanceOf(CliNotFoundError);
    const failure = await stage.start({ cwd: nowhere }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SpawnError);
    expect(failure).toMatchObject({ reason: 'cwd', message: expect.stringContaining(nowhere) });
    await expect(stage.start({ forkSession: true })).rejects.toBeInstanceOf(OptionsError);
    expect(stage.processes()).toEqual([]);
  });
});
