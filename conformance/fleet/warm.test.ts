import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, startEmbedded, startWorker, type Worker } from '@coxswain/fleet';
import { startFakeApi } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { expect, it } from 'vitest';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { processesOf } from '../harness/processes.ts';
import { pinnedVersion } from '../harness/real-cli.ts';
import { callsWithoutResult, markersIn, model } from './asking.ts';
import { bashOptions } from './bash-options.ts';

const limits = { pollMs: 500, flushMs: 20 };

it(`[F-6, F-37] on ${pinnedVersion}, turns run on the process of the last one, and the model receives exactly the stored history, also across workers`, {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-warm-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
  const effects = join(directory, 'effects');
  await using api = await startFakeApi(model(effects));
  await using fleet = await openFleet({ database: server.url, limits });
  await using here = await isolatedHome(api.url);
  await using there = await isolatedHome(api.url);
  const hire = (home: typeof here): Promise<Worker> =>
    startWorker({
      database: server.url,
      limits,
      slots: 1,
      keepWarmMs: 60_000,
      agent: {
        options: () => ({
          ...bashOptions(home),
          canUseTool: () => allow(),
          hooks: { PreToolUse: () => {} },
        }),
      },
    });
  const run = async (n: number, ask = ''): Promise<void> => {
    const { outcome } = await (await fleet.submit({ key: 'ann', prompt: `PROMPT-${n}${ask}` })).outcome();
    expect(outcome).toMatchObject({ kind: 'completed', text: `ANSWER-${n}` });
  };
  const processes = (home: typeof here): number[] => processesOf(home.root).map(({ pid }) => pid);
  const first = await hire(here);
  await run(0);
  const [pid, ...others] = processes(here);
  expect(others).toEqual([]);
  await run(1, ' ASK');
  await run(2);
  expect(processes(here)).toEqual([pid]);
  expect(first.health()).toMatchObject({ warm: 1, turnsReused: 2 });
  await first.drain();
  expect(processes(here)).toEqual([]);
  const second = await hire(there);
  await run(3);
  await run(4, ' ASK');
  expect(second.health()).toMatchObject({ warm: 1, turnsReused: 1 });
  await second.drain();
  expect(processes(there)).toEqual([]);
  const recorded = markersIn(await fleet.transcript('ann'));
  const requests = api.requests.filter(({ isMainConversation }) => isMainConversation);
  expect(requests.length).toBeGreaterThanOrEqual(7);
  for (const request of requests) {
    const history = markersIn(request.turns);
    expect(callsWithoutResult(request)).toEqual([]);
    expect(history.join(' ')).toBe(recorded.slice(0, history.length).join(' '));
  }
  await rm(directory, { recursive: true, force: true });
});
