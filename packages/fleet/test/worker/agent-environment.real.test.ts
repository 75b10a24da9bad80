import { spawn } from 'node:child_process';
import { defineAgent, openFleet, startWorker } from '@coxswain/fleet';
import { script, scriptedCli } from '@coxswain/testkit';
import { expect, it, onTestFinished, vi } from 'vitest';
import { quick as limits } from '../support/agents.ts';
import { testDatabase } from '../support/database.ts';

it('[F-15] an agent gets neither the database URL under another name nor unlisted variables', async () => {
  const { database, schema } = await testDatabase();
  vi.stubEnv('DATABASE_URL', database);
  vi.stubEnv('ANTHROPIC_COPY', `see ${database}`);
  vi.stubEnv('SECRET_OF_THE_HOST', 'x');
  vi.stubEnv('ANTHROPIC_API_KEY', 'dummy');
  onTestFinished(() => void vi.unstubAllEnvs());
  await using cli = await scriptedCli(script().otherwise((turn) => turn.say('done')));
  const environments: NodeJS.ProcessEnv[] = [];
  const agent = defineAgent({
    options: () => ({
      cli: cli.path,
      spawn: (file, args, options) => {
        environments.push({ ...options.env });
        return spawn(file, [...args], options);
      },
    }),
  });
  await using fleet = await openFleet({ database, schema, limits });
  await using _worker = await startWorker({ database: process.env.DATABASE_URL, schema, limits, agent });
  const turn = await fleet.submit({ key: 'ann', prompt: 'one' });
  expect((await turn.outcome()).outcome).toMatchObject({ kind: 'completed' });
  expect(environments.length).toBeGreaterThan(0);
  for (const env of environments) {
    expect(Object.values(env).filter((value) => value?.includes(database))).toEqual([]);
    expect(env).not.toHaveProperty('SECRET_OF_THE_HOST');
    expect(env).toMatchObject({ ANTHROPIC_API_KEY: 'dummy', PATH: process.env.PATH });
  }
});

it('[F-15] an agent that inherits everything gets no variable that opens the database, however it is encoded', async () => {
  const { database: url, schema } = await testDatabase();
  const password = 's3cr@t "pw"';
  // The server trusts connections on its socket and ignores the password.
  const database = url.replace('postgres@', `postgres:${encodeURIComponent(password)}@`);
  const host = new URL(url).searchParams.get('host');
  const hidden = {
    PGPASSWORD: password,
    PGPASSFILE: '/run/secrets/pgpass',
    PGSERVICEFILE: '/run/secrets/services',
    COPY: database,
    ENCODED: encodeURIComponent(database),
    REORDERED: `postgresql://localhost/postgres?application_name=x&host=${host}`,
    SETTINGS: `host=${host} user=postgres`,
    JSON_SETTINGS: JSON.stringify({ database: { password } }),
    HEADER: `Basic ${Buffer.from(`postgres:${password}`).toString('base64')}`,
    WHERE: 'see /run/secrets/services',
  };
  for (const [name, value] of Object.entries({ ...hidden, HARMLESS: 'x' })) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  await using cli = await scriptedCli(script().otherwise((turn) => turn.say('done')));
  const environments: NodeJS.ProcessEnv[] = [];
  const agent = defineAgent({
    options: () => ({
      cli: cli.path,
      inheritEnv: true,
      spawn: (file, args, options) => {
        environments.push({ ...options.env });
        return spawn(file, [...args], options);
      },
    }),
  });
  await using fleet = await openFleet({ database, schema, limits });
  await using _worker = await startWorker({ database, schema, limits, agent });
  expect((await (await fleet.submit({ key: 'ann', prompt: 'one' })).outcome()).outcome.kind).toBe('completed');
  expect(environments.length).toBeGreaterThan(0);
  for (const env of environments) {
    expect(Object.keys(hidden).filter((name) => name in env)).toEqual([]);
    expect(env).toMatchObject({ HARMLESS: 'x', PATH: process.env.PATH });
  }
});
