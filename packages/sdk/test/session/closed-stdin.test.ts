import { describe, expect, it, onTestFinished } from 'vitest';
import { allow } from '../../src/callbacks/decisions.ts';
import { openSession } from '../../src/restart/open-session.ts';
import { FakeCli, settle, silence, start } from '../support/fake-cli.ts';
import { isAlive, waitUntil } from '../support/processes.ts';
import { cliPath } from '../support/say.ts';

const CLOSED = { name: 'TransportError', message: expect.stringContaining('closed its stdin and kept running') };

describe('a CLI that closes its stdin but still runs', () => {
  it('[R-9] fails its session at the next write, and the process is ended', async () => {
    const { session, cli, events } = await start({ limits: { exitReadMs: 10 } });
    cli.hasExited = true; // Writes fail, but the process has not exited.
    await expect(session.send('one').text()).rejects.toMatchObject({ name: 'TransportError' });
    await session.closed;
    expect(session.state).toBe('failed');
    expect(session.health()).toMatchObject({ status: 'unhealthy' });
    expect(cli.signals).toEqual(['terminate']);
    expect(events.at(-1)).toMatchObject({ type: 'failed', error: CLOSED });
    await expect(session.send('two').text()).rejects.toMatchObject({ name: 'SessionStoppedError', cause: CLOSED });
  });

  it('[R-9] fails its session if the answer to its own request cannot be written, because its turn would hang', async () => {
    const { session, cli } = await start({ limits: { exitReadMs: 10 }, canUseTool: () => allow() });
    const turn = session.send('one');
    cli.begin(await cli.got('prompt one'));
    cli.hasExited = true;
    cli.askPermission('p1');
    await expect(turn.text()).rejects.toMatchObject(CLOSED);
    await session.closed;
    expect(session.state).toBe('failed');
  });

  it('[R-9, S-10] and exits a moment later is reported with its exit', async () => {
    const { session, cli } = await start();
    cli.hasExited = true;
    const turn = session.send('one');
    await settle();
    cli.die(7);
    await expect(turn.text()).rejects.toMatchObject({ name: 'TransportError' });
    await session.closed;
    await expect(session.send('two').text()).rejects.toMatchObject({ cause: { name: 'ProcessError', exitCode: 7 } });
  });

  it('[R-9] is detected in a real process, which is then ended', async () => {
    const session = openSession({ cli: cliPath('session-cli.mjs'), limits: { exitReadMs: 200, termMs: 1_000 } });
    onTestFinished(async () => void (await session.close()));
    await session.ready;
    const { pid = 0 } = session;
    expect(await session.send('deaf').text()).toBe('you said deaf');
    await expect(session.send('two').text()).rejects.toMatchObject({ name: 'TransportError' });
    await session.closed;
    expect(session.state).toBe('failed');
    await waitUntil('the CLI has exited', () => !isAlive(pid));
  });
});

describe('a CLI that does not read the answers to its requests', () => {
  it('[W-10] is ended if the waiting answers exceed limits.backlogBytes, and no more are kept', async () => {
    const cli = new FakeCli({ initialize: (fake, id) => fake.succeed(id, { commands: [] }), end_session: silence });
    const { session } = await start({ limits: { backlogBytes: 100_000, exitReadMs: 10 } }, cli);
    let waiting = 0;
    let most = 0;
    cli.write = () => {
      most = Math.max(most, ++waiting);
      return new Promise(() => {});
    };
    for (let nth = 0; nth < 10_000; nth++) cli.ask(`q${nth}`, 'something_new');
    await session.closed;
    expect(most).toBeLessThan(100);
    expect(session.state).toBe('failed');
    await expect(session.send('one').text()).rejects.toMatchObject({
      cause: { name: 'TransportError', message: expect.stringContaining('does not read its stdin') },
    });
  });
});
