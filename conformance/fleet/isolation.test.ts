import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { bubblewrap } from '../../scripts/fetch/bubblewrap.mjs';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { processesOf } from '../harness/processes.ts';
import { pinnedVersion, realCli } from '../harness/real-cli.ts';

const limits = { pollMs: 500, flushMs: 20 };

it(`[F-50, F-37] on ${pinnedVersion}, tools of a worker with isolate see nothing of other conversations, of the worker and of its database, also in processes that are kept or started ahead`, {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-isolation-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory: join(directory, 'database'), binaries: POSTGRES_BINARIES });
  const socket = join(new URL(server.url).searchParams.get('host') ?? '', '.s.PGSQL.5432');
  expect(existsSync(socket)).toBe(true);
  // Runs the prompt as a command.
  await using api = await startFakeApi(({ lastUserText, toolResults }) => {
    const [result] = toolResults;
    return result ? text(result.text) : toolUse('Bash', { command: lastUserText });
  });
  await using home = await isolatedHome(api.url);
  const workspaces = join(directory, 'workspaces');
  const { CLAUDE_CONFIG_DIR: _, ...env } = home.env({ HOME: home.home });
  process.env.WORKER_SECRET = 'a secret of the worker';
  await using worker = await startWorker({
    ...{ database: server.url, limits, slots: 1, keepWarmMs: 60_000, maxWarm: 3, prewarm: 1 },
    isolate: { program: bubblewrap() },
    agent: defineAgent({
      options: () => ({ cli: realCli(), cwd: home.project, env, inheritEnv: false, allowedTools: ['Bash'] }),
      workspace: {
        async prepare({ key, tenant }) {
          // Those of `shared` begin in one folder, as a process that is started ahead must.
          const cwd = tenant === 'shared' ? home.project : join(workspaces, key);
          await mkdir(cwd, { recursive: true });
          return { cwd };
        },
      },
    }),
  });
  await using fleet = await openFleet({ database: server.url, limits });
  const run = async (key: string, command: string, tenant?: string): Promise<string> => {
    const turn = await fleet.submit({ key, prompt: command, ...(tenant && { tenant }) });
    const { outcome } = await turn.outcome();
    expect(outcome.kind).toBe('completed');
    return outcome.kind === 'completed' ? outcome.text.trim() : '';
  };
  await writeFile(join(directory, 'of-the-worker'), 'a file of the worker');
  const leave = 'echo left | tee left $HOME/left /tmp/left /dev/shm/left';
  const look = 'cat left $HOME/left /tmp/left /dev/shm/left 2>/dev/null | wc -l';

  expect(await run('carol', leave, 'shared')).toBe('left');
  await expect.poll(() => worker.health().spare).toBe(1);
  // Its folder is shared, and nothing else.
  expect(await run('dora', look, 'shared')).toBe('1');
  expect(worker.health().turnsReused).toBe(1);
  expect(await run('dora', `kill -9 ${process.pid}`, 'shared')).toMatch(/No such process/);
  expect(worker.health().turnsReused).toBe(2);

  expect(await run('ann', leave)).toBe('left');
  // The process was kept.
  expect(await run('ann', look)).toBe('4');
  expect(worker.health()).toMatchObject({ turnsReused: 3 });
  expect(await run('bob', look)).toBe('0');
  expect(await readFile(join(workspaces, 'ann', 'left'), 'utf8')).toBe('left\n');

  const attacks: readonly (readonly [command: string, fails: RegExp])[] = [
    [`cat ${workspaces}/ann/left`, /No such file/],
    [`ls ${workspaces}`, /^bob$/],
    [`cat ${directory}/of-the-worker`, /No such file/],
    [`cat ${import.meta.filename}`, /No such file/],
    [`kill -9 ${process.pid}`, /No such process/],
    ["cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c -e WORKER_SECRET -e PGSQL -e postgres", /^0\b/],
    [connecting(socket), /ENOENT/],
    [`ls ${home.root}`, /^(project|home|project home|home project)?$/],
  ];
  for (const [command, fails] of attacks) expect(await run('bob', command), command).toMatch(fails);

  delete process.env.WORKER_SECRET;
  await worker.drain();
  expect(processesOf(home.root)).toEqual([]);
  await rm(directory, { recursive: true, force: true });
});

function connecting(path: string): string {
  const on = `.on('connect', () => console.log('CONNECTED')).on('error', (error) => console.log(error.code))`;
  return `${process.execPath} -e "require('node:net').connect({ path: '${path}' })${on}"`;
}
