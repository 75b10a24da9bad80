import {
  DatabaseEncodingError,
  FleetInputError,
  NoFleetError,
  SchemaTooNewError,
  SchemaTooOldError,
} from '../errors.ts';
import type { Database, Sql, Transaction } from './database.ts';
import { migrations } from './migrations.ts';
import { retryWhileUnavailable } from './retry.ts';

/** Time a step waits for a table, and for how long an upgrade is repeated while another program uses the tables. */
const TABLE_LOCK_MS = 1_000;
const UPGRADE_MS = 10 * 60_000;

/**
 * Upgrades the schema to the version of this package. Safe if many processes start at once. A step that waits for a table, behind a
 * backup for example, blocks all workers that use it, so it waits briefly and the upgrade is repeated.
 * @throws SchemaTooNewError, DatabaseEncodingError, FleetInputError
 */
export async function migrate(database: Database, steps: typeof migrations = migrations): Promise<void> {
  const { schema } = database;
  const upgrade = async (sql: Transaction): Promise<void> => {
    await checkEncoding(sql);
    await sql.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`coxswain-fleet ${schema}`]);
    // The queue does not quote the name.
    const [name] = await sql.query<{ plain: boolean }>('select quote_ident($1) = $1 as plain', [schema]);
    if (!name?.plain) throw new FleetInputError('schema', 'must not be a keyword of SQL, such as select.');
    await sql.query(`create schema if not exists "${schema}"`);
    await sql.query(`set local search_path to "${schema}"`);
    await sql.query('create table if not exists fleet_version (version integer not null)');
    const [row] = await sql.query<{ version: number }>('select version from fleet_version');
    const found = row?.version ?? 0;
    if (found > steps.length) throw new SchemaTooNewError({ schema, found, known: steps.length });
    if (found === steps.length) return;
    await sql.query(`set local lock_timeout to ${TABLE_LOCK_MS}`);
    for (const step of steps.slice(found)) for (const statement of step) await sql.query(statement);
    await sql.query(
      row === undefined ? 'insert into fleet_version values ($1)' : 'update fleet_version set version = $1',
      [steps.length],
    );
  };
  const until = performance.now() + UPGRADE_MS;
  await retryWhileUnavailable(
    () => database.transaction(upgrade, { patient: true }),
    () => until,
    ({ reason }) => IN_USE.has(reason),
    5_000,
  );
}

/** PostgreSQL's codes for a lock that was not granted in time, and for a deadlock. */
const IN_USE: ReadonlySet<string | undefined> = new Set(['55P03', '40P01']);

/**
 * Checks that the schema has the version of this package; changes nothing.
 * @throws NoFleetError, SchemaTooNewError, SchemaTooOldError, DatabaseEncodingError
 */
export async function checkVersion(database: Database, known: number = migrations.length): Promise<void> {
  const { schema } = database;
  await checkEncoding(database);
  const [table] = await database.query<{ found: boolean }>(
    'select exists (select 1 from pg_tables where schemaname = $1 and tablename = $2) as found',
    [schema, 'fleet_version'],
  );
  if (!table?.found) throw new NoFleetError('schema', schema);
  const [row] = await database.query<{ version: number }>('select version from @.fleet_version');
  const found = row?.version ?? 0;
  if (found > known) throw new SchemaTooNewError({ schema, found, known });
  if (found < known) throw new SchemaTooOldError(schema);
}

/** Refuses other encodings at the start: text that they lack would fail in the middle of a turn. @throws DatabaseEncodingError */
async function checkEncoding(sql: Sql): Promise<void> {
  const [found] = await sql.query<{ encoding: string }>(`select current_setting('server_encoding') as encoding`);
  if (found !== undefined && found.encoding !== 'UTF8') throw new DatabaseEncodingError(found.encoding);
}

/** True for a name that needs no quotes in SQL and in the name of a channel, and is not reserved by PostgreSQL. */
export function isSchemaName(name: string): boolean {
  if (name === 'information_schema') return false;
  return typeof name === 'string' && /^(?!pg_)[a-z_][a-z0-9_]{0,40}$/.test(name);
}
