import { postgresStore } from '@coxswain/fleet';
import { storeContract } from '@coxswain/testkit';
import type { SessionStore } from 'coxswain/store';
import pg from 'pg';
import { afterAll, describe, it } from 'vitest';
import { testDatabase } from '../support/database.ts';

describe('the store in PostgreSQL', () => {
  const pools: pg.Pool[] = [];
  const schemas = new Map<SessionStore, string>();
  afterAll(() => Promise.all(pools.map((pool) => pool.end())));

  const open = async (given?: string): Promise<{ store: SessionStore }> => {
    const { database, schema } = await testDatabase();
    const pool = new pg.Pool({ connectionString: database, max: 4 });
    pools.push(pool);
    const store = postgresStore(pool, { schema: given ?? schema });
    schemas.set(store, given ?? schema);
    await store.prepare();
    return { store };
  };
  const bench = { open: () => open(), reopen: (store: SessionStore) => open(schemas.get(store)) };
  for (const { name, rule, run } of storeContract(bench)) it(`[${rule}] ${name}`, run);
});
