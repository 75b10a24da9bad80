import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseUnavailableError, isFleetError, openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { BINARIES } from '../support/database.ts';

describe('an outage of the database', () => {
  it('[F-12] loses no turn: workers keep their turns, reconnect and commit; health reports it; submit fails or waits', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-outage-'));
    await chmod(directory, 0o755);
    let server = await startEmbedded({ directory, binaries: BINARIES });
    const database = server.url;
    const schema = 'outage';
    await using fleet = await openFleet({ database, schema, limits });
    let down: () => Promise<void> = async () => {};
    let wentDown: () => void = () => {};
    const isDown = new Promise<void>((resolve) => {
      wentDown = resolve;
    });
    const errors: unknown[] = [];
    const agent = scriptedAgent();
    await using worker = await startWorker({
      database,
      schema,
      limits,
      agent,
      onError: (error) => errors.push(error),
      // The server dies when the result was read, so the commit fails.
      onStep: async (step, { id }) => {
        if (step === 'result' && id === 'cut') await down();
      },
    });
    down = async () => {
      process.kill(Number((await readFile(join(directory, 'data/postmaster.pid'), 'utf8')).split('\n')[0]), 'SIGKILL');
      await server.close();
      wentDown();
    };
    const cut = await fleet.submit({ key: 'ann', prompt: 'one', id: 'cut' });
    const next = await fleet.submit({ key: 'ann', prompt: 'two' });
    const following = (async () => {
      const kinds: string[] = [];
      for await (const item of cut.follow()) kinds.push(item.kind);
      return kinds;
    })();
    await isDown;
    await expect(fleet.submit({ key: 'bob', prompt: 'three' })).rejects.toThrow(DatabaseUnavailableError);
    expect((await fleet.health()).reachable).toBe(false);
    await expect
      .poll(() => worker.health(), { timeout: 10_000 })
      .toMatchObject({ ready: false, database: { reachable: false } });
    const reports = (): unknown[] => errors.filter((error) => isFleetError(error, 'database-unavailable'));
    // A broken idle connection changes the health before a statement of the worker fails.
    await expect.poll(reports, { timeout: 10_000 }).toHaveLength(1);
    const waiting = fleet.submit({ key: 'bob', prompt: 'three' }, { waitMs: 60_000 });
    server = await startEmbedded({ directory, binaries: BINARIES });
    expect((await cut.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    expect((await next.outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did two' });
    expect((await (await waiting).outcome()).outcome).toMatchObject({ kind: 'completed', text: 'did three' });
    expect((await following).filter((kind) => kind === 'outcome')).toHaveLength(1);
    await expect.poll(() => worker.health().ready).toBe(true);
    // Many statements fail during the outage, but it is reported once.
    expect(reports()).toHaveLength(1);
    await worker.drain();
    await fleet.close();
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
});
