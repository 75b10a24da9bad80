import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';
import { databaseProxy } from '../support/proxy.ts';

describe('a commit whose response is lost with its connection', () => {
  it('[F-3, F-12] is repeated without storing anything twice', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using wire = await databaseProxy(database);
    const armed = new Set<string>();
    // The worker makes no commits except those of the turn.
    const slow = { ...limits, sweepMs: 60_000 };
    await using worker = await startWorker({
      database: wire.url,
      schema,
      limits: slow,
      agent: scriptedAgent((turn) => turn.say('one').say('two').say('three')),
      onStep: async (step) => {
        // The commits that record `sent`, store the first messages, and end the turn.
        if (['claimed', 'answering', 'committing'].includes(step) && !armed.has(step)) wire.cutNextCommit();
        armed.add(step);
        // If the turn ended before its first messages are stored, there would be only one commit.
        if (step === 'result') await wire.lost(2);
      },
      onError: () => {},
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'count' });
    const { outcome } = await turn.outcome();
    expect(outcome).toMatchObject({ kind: 'completed' });
    // Other connections read a commit before its response is sent: the last one may not be lost yet.
    await wire.lost(3);
    // Checked after the worker has repeated its last commit.
    await worker.drain();
    expect(wire.cut).toBe(3);

    const events = await sql(database, `select kind, body::text from ${schema}.event where turn = $1`, [turn.id]);
    const stored = events.map(({ kind, body }) => `${kind} ${body}`);
    expect(stored.filter((event, at) => stored.indexOf(event) !== at)).toEqual([]);
    expect(events.map(({ kind }) => kind).filter((kind) => kind === 'outcome')).toHaveLength(1);
    const [numbers] = await sql(
      database,
      `select max(e.seq) = count(*) as gapless, max(e.seq) = max(c.event_seq) as counted
       from ${schema}.event e join ${schema}.conversation c using (key)`,
    );
    expect(numbers).toEqual({ gapless: true, counted: true });
  });

  it('[F-12] does not delay a turn by a lease: a worker with an unconfirmed claim releases the turn and runs it', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using wire = await databaseProxy(database);
    let armed = false;
    await using _worker = await startWorker({
      database: wire.url,
      schema,
      limits: { ...limits, leaseMs: 60_000 },
      agent: scriptedAgent(),
      onStep: (step) => {
        if (step === 'fetched' && !armed) wire.cutNextCommit();
        armed = true;
      },
      onError: () => {},
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
    const { outcome } = await turn.outcome({ signal: AbortSignal.timeout(20_000) });
    expect(outcome).toMatchObject({ kind: 'completed', text: 'did one' });
    expect(wire.cut).toBe(1);
    expect((await turn.info()).attempt).toBe(1);
  });
});
