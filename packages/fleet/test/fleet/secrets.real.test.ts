import { type AgentJob, openFleet, startWorker } from '@coxswain/fleet';
import { allow } from 'coxswain';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { quick as limits, scriptedAgent } from '../support/agents.ts';
import { sql, testDatabase } from '../support/database.ts';

describe('secrets', () => {
  it('[F-15] the URL of the database appears in no error, event or row, and prompts only in the documented tables', async () => {
    const { database, schema } = await testDatabase();
    const secret = 'hunter2-very-secret';
    const url = database.replace('postgres@', `postgres:${secret}@`);
    const texts: string[] = [];
    await using fleet = await openFleet({ database: url, schema, limits });
    const note = (error: unknown): void =>
      void texts.push(`${String(error)} ${JSON.stringify(error)} ${error instanceof Error ? error.stack : ''}`);
    await using _worker = await startWorker({ database: url, schema, limits, agent: scriptedAgent(), onError: note });
    const prompt = 'a-very-private-prompt';
    const turn = await fleet.submit({ key: 'ann', prompt });
    for await (const item of turn.follow()) texts.push(JSON.stringify(item));
    await openFleet({ database: `postgres://ann:${secret}@127.0.0.1:1/none`, schema }).catch(note);
    await openFleet({ database: url.replace('/postgres?', '/missing?'), schema }).catch(note);
    texts.push(JSON.stringify(await fleet.stats()), await fleet.metrics());
    expect(texts.length).toBeGreaterThan(5);
    const client = new pg.Client({ connectionString: database });
    await client.connect();
    const tables = await client.query<{ name: string }>(
      'select table_name as name from information_schema.tables where table_schema = $1',
      [schema],
    );
    const withPrompt: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ text: string }>(`select t::text as text from ${schema}."${name}" t`);
      const text = rows.map((row) => row.text).join('\n');
      texts.push(text);
      if (text.includes(prompt)) withPrompt.push(name);
    }
    await client.end();
    expect(withPrompt.sort()).toEqual(['entry', 'event', 'turn']);
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('[F-15] errors of the agent that quote the URL or the password are redacted', async () => {
    const { database, schema } = await testDatabase();
    const secret = 'hunter2-"quoted"';
    const url = database.replace('postgres@', `postgres:${encodeURIComponent(secret)}@`);
    await using fleet = await openFleet({ database: url, schema, limits });
    const quoting: Readonly<Record<string, string>> = { url, secret, both: `${decodeURIComponent(url)} and ${secret}` };
    const fail = (where: string, { prompt }: AgentJob): undefined => {
      const [place, what = ''] = String(prompt).split(' ');
      if (place === where) throw new Error(`could not connect with ${quoting[what]} at noon`);
    };
    const agent = scriptedAgent((turn) => turn.useTool('Bash', {}, { result: 'x', permission: 'ask' }).say('ok'));
    await using _worker = await startWorker({
      database: url,
      schema,
      limits,
      agent: {
        options: async (job) => {
          fail('options', job);
          return { ...(await agent.options(job)), canUseTool: () => fail('permission', job) ?? allow() };
        },
        workspace: {
          prepare: async (job) => fail('prepare', job) ?? { cwd: process.cwd() },
          save: async (job) => fail('save', job),
        },
      },
    });
    const places = ['options', 'prepare', 'save', 'permission'];
    const prompts = places.flatMap((place) => Object.keys(quoting).map((what) => `${place} ${what}`));
    const turns = await Promise.all(prompts.map((prompt) => fleet.submit({ key: prompt, prompt })));
    const ended = await Promise.all(turns.map((turn) => turn.outcome()));
    const failed = ended.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.message] : []));
    expect(failed).toHaveLength(9);
    for (const message of failed) expect(message).toMatch(/^could not connect with \[redacted\].* at noon$/);
    const tables = await sql(
      database,
      'select table_name as name from information_schema.tables where table_schema = $1',
      [schema],
    );
    for (const { name } of tables) {
      const text = JSON.stringify(await sql(database, `select t::text as text from ${schema}."${name}" t`));
      for (const part of ['hunter2', encodeURIComponent(secret)]) expect(text).not.toContain(part);
    }
  });
});
