import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@coxswain/fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BINARIES, sql } from '../../../fleet/test/support/database.ts';
import { type Finished, ndjson, runCox } from '../run-cox.ts';

const directory = mkdtempSync(join(tmpdir(), 'cox-schedule-'));
chmodSync(directory, 0o755);

let server: EmbeddedServer;
const as = (user: string, ...args: string[]): Promise<Finished> =>
  runCox(['fleet', ...args], {
    env: { COXSWAIN_DATABASE_URL: server.url.replace('postgres@', `${user}@`) },
    cwd: directory,
  });
const cox = (...args: string[]): Promise<Finished> => as('postgres', ...args);

beforeAll(async () => {
  server = await startEmbedded({ directory: join(directory, 'postgres'), binaries: BINARIES });
  expect(await cox('migrate')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: expect.stringContaining('The schema coxswain has the tables of this release.'),
  });
});

afterAll(async () => {
  await server.close();
  rmSync(directory, { recursive: true, force: true });
});

describe('cox fleet schedule', () => {
  it('[L-2, F-21] adds, lists, replaces, runs and removes schedules', async () => {
    expect((await cox('schedule', 'list')).stderr).toContain('There are no schedules.');
    const zone = ['--time-zone', 'Asia/Kolkata'];
    const words = ['Run', 'the', 'tests'];
    const added = await cox('schedule', 'set', 'nightly', ...words, '--cron', '30 3 * * *', ...zone, '--key', 'ann');
    expect(added).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(/nightly was added\. Next run: \d{4}-\d\d-\d\d 03:30 \(Asia\/Kolkata\)\./),
    });
    const data = ['--tenant', 'acme', '--priority', '-5', '--data', '{"repository":"boats"}'];
    expect((await cox('schedule', 'set', 'weekly', 'Report', '--cron', 'FREQ=WEEKLY;BYDAY=MO', ...data)).code).toBe(0);
    const listed = await cox('schedule', 'list');
    expect(listed.stdout).toMatch(/^NAME +CRON +TIME ZONE +NEXT RUN +KEY +TENANT +PROMPT$/m);
    expect(listed.stdout).toMatch(
      /^nightly +30 3 \* \* \* +Asia\/Kolkata +[\d-]{10} 03:30 +ann +default +Run the tests$/m,
    );
    expect(ndjson((await cox('schedule', 'list', '--json')).stdout)).toMatchObject([
      { name: 'nightly', key: 'ann', nextRun: expect.stringMatching(/T22:00:00\.000Z$/) },
      { name: 'weekly', key: 'weekly', tenant: 'acme', priority: -5, data: { repository: 'boats' } },
    ]);
    const replaced = await cox('schedule', 'set', 'nightly', 'Run all tests', '--cron', '0 4 * * *', '--key', 'ann');
    expect(replaced.stderr).toMatch(/nightly was replaced\. Next run: [\d-]{10} 04:00 \(UTC\)\./);

    const run = await cox('schedule', 'run', 'weekly', '--by', 'bob');
    expect(run.code).toBe(0);
    expect(ndjson((await cox('turns', '--json')).stdout)).toMatchObject([
      { id: run.stdout.trim(), key: 'weekly', tenant: 'acme', prompt: 'Report', submittedBy: 'bob' },
    ]);
    expect(await cox('schedule', 'remove', 'weekly')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('The schedule weekly was removed.'),
    });
    expect(ndjson((await cox('schedule', 'list', '--json')).stdout)).toMatchObject([{ name: 'nightly' }]);
  });

  it('[L-2, F-16] refuses invalid times and unknown names', async () => {
    const set = (...args: string[]): Promise<Finished> => cox('schedule', 'set', 'bad', 'Hello', ...args);
    expect(await set()).toMatchObject({ code: 2, stderr: expect.stringContaining('--cron <times>') });
    for (const [words, ...args] of [
      ['five fields', '--cron', 'every day'],
      ['cron cannot be used', '--cron', '99 * * * *'],
      ['no run in the future', '--cron', 'FREQ=DAILY;UNTIL=20200101T000000Z'],
      ['time zone', '--cron', '* * * * *', '--time-zone', 'Mars/One'],
      ['--data must be JSON', '--cron', '* * * * *', '--data', '{'],
    ])
      expect(await set(...args), words).toMatchObject({
        code: 2,
        stdout: '',
        stderr: expect.stringContaining(String(words)),
      });
    for (const command of ['remove', 'run'])
      expect(await cox('schedule', command, 'bad')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('There is no schedule bad. There are: nightly.'),
      });
  });
});

describe('cox fleet grants', () => {
  it('[L-2, F-20] prints SQL for psql; workers with a role start with --no-create', async () => {
    const printed = await cox('grants');
    expect(printed).toMatchObject({ code: 0, stderr: '' });
    await sql(server.url, printed.stdout);
    for (const role of ['reader', 'submitter', 'worker'])
      await sql(server.url, `create role a_${role} login in role coxswain_${role}`);
    expect((await as('a_reader', 'status')).code).toBe(0);
    const refused = { code: 1, stderr: expect.stringContaining('cox fleet grants') };
    expect(await as('a_reader', 'submit', 'ann', 'Hello')).toMatchObject(refused);
    expect((await as('a_submitter', 'submit', 'ann', 'Hello', '--after', '3600')).code).toBe(0);
    expect(await as('a_worker', 'migrate')).toMatchObject(refused);
    expect(await as('a_worker', 'worker', '--demo')).toMatchObject(refused);
    expect(await as('a_worker', 'worker', '--demo', '--no-create', '--until-stdin-ends')).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('accepts turns'),
    });
    expect(await cox('grants', '--prefix', `x'`)).toMatchObject({ code: 2, stdout: '' });
  });
});
