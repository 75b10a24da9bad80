import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { openFleet, startWorker } from '@coxswain/fleet';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

/** The answer of PostgreSQL to a commit. */
const COMMITTED = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

describe('a commit whose answer is lost with its connection', () => {
  it('[F-3, F-12] is repeated without storing anything twice', async () => {
    const { database, schema } = await testDatabase();
    await using fleet = await openFleet({ database, schema, limits });
    await using wire = await cuttingProxy(database);
    const armed = new Set<string>();
    // No other commits of the worker than those of the turn.
    const slow = { ...limits, sweepMs: 60_000 };
    await using worker = await startWorker({
      database: wire.url,
      schema,
      limits: slow,
      agent: scriptedAgent((turn) => turn.say('one').say('two').say('three')),
      onStep: async (step) => {
        // The commits that say that the prompt is sent, that store the first messages, and that end the turn.
        if (['claimed', 'answering', 'committing'].includes(step) && !armed.has(step)) wire.cutNextCommit();
        armed.add(step);
        // The turn must not end before its first messages are stored: then all would be one commit.
        if (step === 'result') await wire.lost(2);
      },
      onError: () => {},
    });
    const turn = await fleet.submit({ key: 'ann', prompt: 'count' });
    const { outcome } = await turn.outcome();
    expect(outcome).toMatchObject({ kind: 'completed' });
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
    await worker.drain();
  });
});

interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  /** How many answers were lost. */
  readonly cut: number;
  /** The next answer to a commit is not passed on; its connection breaks. */
  cutNextCommit(): void;
  /** Resolves when so many answers were lost. */
  lost(count: number): Promise<void>;
}

/** Stands between a worker and the database. */
async function cuttingProxy(database: string): Promise<CuttingProxy> {
  // The test server listens on a socket in this folder.
  const folder = new URL(database).searchParams.get('host') ?? '';
  const sockets = new Set<Socket>();
  let cuts = 0;
  let armed = false;
  const cutting = new EventEmitter();
  const server = createServer((client) => {
    const upstream = connect(join(folder, '.s.PGSQL.5432'));
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    client.pipe(upstream);
    upstream.on('data', (chunk) => {
      if (armed && chunk.includes(COMMITTED)) {
        armed = false;
        cuts += 1;
        client.destroy();
        cutting.emit('cut');
      } else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get cut() {
      return cuts;
    },
    cutNextCommit() {
      armed = true;
    },
    async lost(count) {
      while (cuts < count) await once(cutting, 'cut', { signal: AbortSignal.timeout(20_000) });
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
