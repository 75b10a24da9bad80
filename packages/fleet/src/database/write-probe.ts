import pg from 'pg';
import { beginWith } from './settings.ts';

/**
 * Resolves once the server answers a durable write, with whatever result, or refuses a connection. Until then, one connection waits
 * without a time limit; it is replaced from time to time, because it may be the connection that is broken.
 */
export async function untilWritesAreAnswered(write: WriteProbe, signal: AbortSignal): Promise<void> {
  for (let ms = FIRST_LIMIT_MS; !signal.aborted; ms = Math.min(MAX_LIMIT_MS, ms * 2)) {
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), ms);
    const answered = await write(AbortSignal.any([signal, limit.signal])).finally(() => clearTimeout(timer));
    if (answered) return;
  }
}

/** Makes one write on a connection of its own. Resolves to whether it was answered before the signal aborted. Never rejects. */
export type WriteProbe = (signal: AbortSignal) => Promise<boolean>;

/** A record in the write-ahead log that changes nothing: no privilege is needed, and no table. */
export function writeProbe(config: pg.ClientConfig): WriteProbe {
  return async (signal) => {
    if (signal.aborted) return false;
    const client = new pg.Client({ ...config, connectionTimeoutMillis: 0, query_timeout: 0 });
    client.on('error', () => {});
    // Rejects what waits for the connection.
    const end = (): void => void client.connection.stream.destroy();
    signal.addEventListener('abort', end, { once: true });
    try {
      await client.connect();
      await client.query(`${BEGIN}; select pg_logical_emit_message(true, 'coxswain', 'probe'); commit`);
    } catch {
      // An error is an answer, too.
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
    return !signal.aborted;
  };
}

const FIRST_LIMIT_MS = 3_000;
const MAX_LIMIT_MS = 30_000;

/** Without time limits: the server would answer with their errors although nothing can be stored. */
const BEGIN = beginWith({ statementMs: 0, lockMs: 0, idleMs: 0 });
