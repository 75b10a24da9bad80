import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../fixtures/cli/files.ts';
import { isAlive, liveDescendants, waitUntil } from '../support/processes.ts';
import { openProcess, pidOf } from '../support/session-process.ts';

describe('a session on a process', () => {
  it('[S-1, S-3, S-9] starts, answers in turn, and has no process when close() resolves', async () => {
    const { session, events } = openProcess();
    const turns = [session.send('one'), session.send('two')];
    expect(await Promise.all(turns.map((turn) => turn.text()))).toEqual(['you said one', 'you said two']);
    const pid = pidOf(events);
    expect(session.pid).toBe(pid);
    expect(isAlive(pid)).toBe(true);
    expect(await session.close()).toEqual({ exitCode: 0, signal: null, ended: 'by-itself' });
    expect(isAlive(pid)).toBe(false);
  });

  it('[S-10] fails its turn immediately with the signal if it is killed', async () => {
    const { session, events } = openProcess();
    const turn = session.send('die');
    const waiting = session.send('never');
    await expect(turn.result()).rejects.toMatchObject({ name: 'ProcessError', signal: 'SIGKILL' });
    await expect(waiting.result()).rejects.toMatchObject({ name: 'SessionStoppedError', cause: { signal: 'SIGKILL' } });
    expect(await session.closed).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
    expect(isAlive(pidOf(events))).toBe(false);
  });

  it('[S-9, R-1, R-2] has no process left when close() resolves, even if only SIGKILL ends it', async () => {
    const { session, events } = openProcess({ stubborn: true });
    const tool = Number(await session.send('start').text());
    session
      .send('hang')
      .result()
      .catch(() => {});
    await waitUntil('the tool runs', () => liveDescendants(pidOf(events)).includes(tool));
    expect(await session.close()).toMatchObject({ signal: 'SIGKILL', ended: 'killed' });
    expect(isAlive(pidOf(events))).toBe(false);
    await waitUntil('the tool has exited', () => !isAlive(tool));
  });

  it.runIf(process.platform === 'linux')(
    '[R-3] a command that the CLI starts after end_session does not outlive close()',
    async () => {
      const parting = join(temporaryFolder(), 'pid');
      const { session } = openProcess({ parting });
      await session.ready;
      await session.close();
      const command = Number(readFileSync(parting, 'utf8'));
      onTestFinished(() => void (isAlive(command) && process.kill(command, 'SIGKILL')));
      await waitUntil('the command has exited', () => !isAlive(command), 3_000);
    },
  );

  it('[S-13, E-4] rejects writes after its death with typed errors instead of EPIPE', async () => {
    const { session, events } = openProcess();
    await session.ready;
    process.kill(pidOf(events), 'SIGKILL');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) => session.request('x', { pad: 'y'.repeat(50_000), i })),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { code: expect.stringMatching(/^(transport|session-stopped)$/) },
      });
    }
    await session.closed;
  });

  it('[S-9] ends independently of a concurrent session', async () => {
    const first = openProcess();
    const second = openProcess();
    await Promise.all([first.session.ready, second.session.ready]);
    await first.session.close();
    expect([isAlive(pidOf(first.events)), isAlive(pidOf(second.events))]).toEqual([false, true]);
    expect(await second.session.send('still there').text()).toBe('you said still there');
  });
});
