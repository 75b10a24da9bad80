import type { SessionKey, SessionStore, StoreEntry } from 'coxswain/store';

/** The part of a client or pool of `pg` that the store uses. */
export interface PostgresClient {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Record<string, unknown>[] }>;
}

/** Options of the store. */
export interface PostgresStoreOptions {
  /** The schema, which is created if it is missing. Default: `coxswain`. */
  readonly schema?: string | undefined;
}

/** A session store in PostgreSQL. */
export interface PostgresStore extends Required<Omit<SessionStore, 'listSessionSummaries'>> {
  /** Creates the tables if they are missing. Several processes can call it at the same time. */
  prepare(): Promise<void>;
}

/** The subpath of the main transcript. */
const MAIN = '';

/**
 * A session store with one row per entry, ordered by a sequence number. The text of an entry is kept unchanged (`json`, not `jsonb`).
 * Call `prepare()` once before you use it.
 */
export function postgresStore(client: PostgresClient, options: PostgresStoreOptions = {}): PostgresStore {
  const schema = quoted(options.schema ?? 'coxswain');
  const entry = `${schema}.session_entry`;
  const blob = `${schema}.session_blob`;
  const values = ({ projectKey, sessionId, subpath = MAIN }: SessionKey): unknown[] => [projectKey, sessionId, subpath];
  const ofSession = ({ projectKey, sessionId }: SessionKey): unknown[] => [projectKey, sessionId];
  const rows = async (text: string, given: unknown[]): Promise<readonly Record<string, unknown>[]> =>
    (await client.query(text, given)).rows;
  return {
    async prepare() {
      // One query, so that it is one transaction; the lock is for processes that start at the same time.
      await client.query(`
        select pg_advisory_xact_lock(hashtextextended('coxswain session store', 0));
        create schema if not exists ${schema};
        create table if not exists ${entry} (
          n bigint generated always as identity primary key,
          project text not null, session text not null, subpath text not null,
          id text not null, line json not null, at timestamptz not null default now(),
          unique (project, session, subpath, id)
        );
        create table if not exists ${blob} (
          project text not null, session text not null, name text not null, data bytea not null,
          primary key (project, session, name)
        );`);
    },
    async append(key, entries, batch) {
      if (entries.length === 0) return;
      const id = batch?.id ?? crypto.randomUUID();
      const ids = entries.map(({ uuid }, index) => uuid ?? `${id}#${index}`);
      const lines = entries.map((one) => JSON.stringify(one));
      // The lock serializes the calls for one transcript, so that the numbers of each call are consecutive.
      await client.query(
        `with turn as materialized (select pg_advisory_xact_lock(hashtextextended($1 || '/' || $2 || '/' || $3, 1)) as held)
         insert into ${entry} (project, session, subpath, id, line)
         select $1, $2, $3, given.id, given.line::json
         from turn, unnest($4::text[], $5::text[]) with ordinality as given(id, line, nth)
         order by given.nth
         on conflict (project, session, subpath, id) do nothing`,
        [...values(key), ids, lines],
      );
    },
    async load(key) {
      const found = await rows(
        `select line::text as line from ${entry} where project = $1 and session = $2 and subpath = $3 order by n`,
        values(key),
      );
      return found.length === 0 ? null : found.map(({ line }): StoreEntry => JSON.parse(String(line)));
    },
    async listSessions(projectKey) {
      const found = await rows(
        `select session, floor(extract(epoch from max(at)) * 1000)::text as mtime from ${entry}
         where project = $1 group by session having bool_or(subpath = '')`,
        [projectKey],
      );
      return found.map(({ session, mtime }) => ({ sessionId: String(session), mtime: Number(mtime) }));
    },
    async delete(key) {
      if (key.subpath !== undefined) {
        await client.query(`delete from ${entry} where project = $1 and session = $2 and subpath = $3`, values(key));
        return;
      }
      await client.query(
        `with files as (delete from ${blob} where project = $1 and session = $2)
         delete from ${entry} where project = $1 and session = $2`,
        ofSession(key),
      );
    },
    async listSubkeys(key) {
      const found = await rows(
        `select distinct subpath from ${entry} where project = $1 and session = $2 and subpath <> '' order by subpath`,
        ofSession(key),
      );
      return found.map(({ subpath }) => String(subpath));
    },
    blobs: {
      async put(key, name, data) {
        await client.query(
          `insert into ${blob} (project, session, name, data) values ($1, $2, $3, $4)
           on conflict (project, session, name) do update set data = excluded.data`,
          [...ofSession(key), name, Buffer.from(data)],
        );
      },
      async get(key, name) {
        const [found] = await rows(`select data from ${blob} where project = $1 and session = $2 and name = $3`, [
          ...ofSession(key),
          name,
        ]);
        return found?.data instanceof Uint8Array ? found.data : null;
      },
      async list(key) {
        const found = await rows(
          `select name from ${blob} where project = $1 and session = $2 order by name`,
          ofSession(key),
        );
        return found.map(({ name }) => String(name));
      },
    },
  };
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
