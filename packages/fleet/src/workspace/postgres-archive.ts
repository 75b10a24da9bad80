import type { PostgresClient } from '../store/postgres-store.ts';
import type { PrunableArchive } from './archive-store.ts';

/** Options of the archive. */
export interface PostgresArchiveOptions {
  /** The schema, which is created if it is missing. Default: `coxswain`. */
  readonly schema?: string | undefined;
}

/** An archive in PostgreSQL. */
export interface PostgresArchive extends PrunableArchive {
  /** Creates the tables if they are missing. Several processes can call it at the same time. */
  prepare(): Promise<void>;
}

/** An archive with a row for each content and each conversation, for small files. Call `prepare()` once before you use it. */
export function postgresArchive(client: PostgresClient, options: PostgresArchiveOptions = {}): PostgresArchive {
  const schema = `"${(options.schema ?? 'coxswain').replaceAll('"', '""')}"`;
  const blob = `${schema}.archive_blob`;
  const tree = `${schema}.archive_tree`;
  return {
    async prepare() {
      // One query, so that it is one transaction; the lock is for processes that start at the same time.
      await client.query(`
        select pg_advisory_xact_lock(hashtextextended('coxswain archive', 0));
        create schema if not exists ${schema};
        create table if not exists ${blob} (
          hash text primary key, data bytea not null, used_at timestamptz not null default now()
        );
        create table if not exists ${tree} (key text primary key, epoch bigint not null, files jsonb not null);`);
    },
    async missing(hashes) {
      const { rows } = await client.query(
        `with used as (update ${blob} set used_at = now() where hash = any($1) returning hash) select hash from used`,
        [[...hashes]],
      );
      const found = new Set(rows.map(({ hash }) => hash));
      return hashes.filter((hash) => !found.has(hash));
    },
    async putBlob(hash, bytes) {
      await client.query(
        `insert into ${blob} (hash, data) values ($1, $2) on conflict (hash) do update set used_at = now()`,
        [hash, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)],
      );
    },
    async getBlob(hash) {
      const { rows } = await client.query(`select data from ${blob} where hash = $1`, [hash]);
      const data = rows[0]?.data;
      return data instanceof Uint8Array ? data : undefined;
    },
    async readTree(key) {
      const { rows } = await client.query(
        `select epoch::text as epoch, files::text as files from ${tree} where key = $1`,
        [key],
      );
      const [found] = rows;
      return found && { epoch: Number(found.epoch), files: JSON.parse(String(found.files)) };
    },
    async writeTree(key, { epoch, files }) {
      const { rows } = await client.query(
        `insert into ${tree} as stored (key, epoch, files) values ($1, $2, $3::jsonb)
         on conflict (key) do update set epoch = excluded.epoch, files = excluded.files
         where stored.epoch <= excluded.epoch returning key`,
        [key, epoch, JSON.stringify(files)],
      );
      return rows.length > 0;
    },
    async prune({ keys = [] } = {}) {
      await client.query(`delete from ${tree} where key = any($1)`, [[...keys]]);
      await client.query(
        `delete from ${blob} where used_at < now() - interval '1 day' and not exists (
           select from ${tree}, jsonb_array_elements(files) as file where file ->> 'hash' = hash)`,
      );
    },
  };
}
