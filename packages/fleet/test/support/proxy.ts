import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A proxy between a process and the database that causes faults. */
export interface DatabaseProxy extends AsyncDisposable {
  readonly url: string;
  /** Number of lost responses to commits. */
  readonly cut: number;
  /** Drops the response to the next commit of a transaction and breaks its connection. */
  cutNextCommit(): void;
  /** Resolves when this many responses to commits were lost. */
  lost(count: number): Promise<void>;
  /** Breaks the connection of the next request with this text before the database receives it. */
  cutRequest(text: string): void;
  /** Holds everything back in both directions, without breaking connections. */
  freeze(): void;
  /** Holds back every request that ends a transaction, as a server does whose disk hangs. New connections can log in. */
  stall(): void;
  /** Number of connections that are open. */
  readonly open: number;
  /** Passes on everything that was held back. */
  thaw(): void;
  /** Makes the open connections silent; new ones work. Like a failover without notice. */
  strand(): void;
  /** Adds a delay to every round trip from now on, half of it in each direction. */
  delay(roundTripMs: number): void;
  /** Resolves when this many more responses of the database have passed. */
  passed(count: number): Promise<void>;
}

/** The fleet's message to commit a transaction. The queue sends its transactions as one text. */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');

/** Starts a proxy for the database of `testDatabase()`. */
export async function databaseProxy(database: string): Promise<DatabaseProxy> {
  // The test server listens on a socket in this folder.
  const folder = new URL(database).searchParams.get('host') ?? '';
  const sockets = new Set<Socket>();
  const events = new EventEmitter().setMaxListeners(0);
  let cuts = 0;
  let answers = 0;
  let toCut = 0;
  let refused: string | undefined;
  let frozen = false;
  let stalled = false;
  let oneWayMs = 0;
  /** Timers with the same delay fire in order, so the chunks keep their order. */
  const pass = (to: Socket, chunk: Buffer): void => {
    if (oneWayMs === 0) to.write(chunk);
    else setTimeout(() => to.write(chunk), oneWayMs);
  };
  const server = createServer((client) => {
    const upstream = connect(join(folder, '.s.PGSQL.5432'));
    /** Requests that are held back, in order. */
    const held: Buffer[] = [];
    events.on('thaw', () => {
      for (const chunk of held.splice(0)) upstream.write(chunk);
    });
    /** The next response of the database, in however many chunks, confirms a commit. */
    let commits = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on('data', (chunk) => {
      commits = chunk.includes(COMMIT);
      if (stalled && (held.length > 0 || chunk.includes('commit'))) return void held.push(chunk);
      if (refused === undefined || !chunk.includes(refused)) return pass(upstream, chunk);
      refused = undefined;
      client.destroy();
    });
    upstream.on('data', (chunk) => {
      if (commits && toCut > 0) {
        toCut -= 1;
        cuts += 1;
        client.destroy();
        upstream.destroy();
      } else pass(client, chunk);
      answers += 1;
      events.emit('answer');
    });
    if (frozen) for (const socket of [client, upstream]) socket.pause();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const until = async (reached: () => boolean): Promise<void> => {
    while (!reached()) await once(events, 'answer', { signal: AbortSignal.timeout(10_000) });
  };
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get cut() {
      return cuts;
    },
    cutNextCommit() {
      toCut += 1;
    },
    cutRequest(text) {
      refused = text;
    },
    lost: (count) => until(() => cuts >= count),
    freeze() {
      frozen = true;
      for (const socket of sockets) socket.pause();
    },
    stall() {
      stalled = true;
    },
    get open() {
      return sockets.size / 2;
    },
    strand() {
      for (const socket of sockets) socket.pause();
    },
    thaw() {
      frozen = false;
      stalled = false;
      for (const socket of sockets) socket.resume();
      events.emit('thaw');
    },
    delay(roundTripMs) {
      oneWayMs = roundTripMs / 2;
    },
    passed(count) {
      const goal = answers + count;
      return until(() => answers >= goal);
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
