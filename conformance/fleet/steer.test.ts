import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { startFakeApi, text, toolUse } from '@coxswain/testkit';
import { allow } from 'coxswain';
import { expect, it } from 'vitest';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { pinnedVersion } from '../harness/real-cli.ts';
import { bashOptions } from './bash-options.ts';

const limits = { pollMs: 500, flushMs: 20 };

it(`[F-38] on ${pinnedVersion}, the model reads an addition to a running turn with its next request`, {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-steer-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
  await using api = await startFakeApi(({ body }) =>
    JSON.stringify(body.messages).includes('"tool_result"') ? text('done') : toolUse('Bash', { command: 'touch made' }),
  );
  await using fleet = await openFleet({ database: server.url, limits });
  await using home = await isolatedHome(api.url);
  const turn = await fleet.submit({ key: 'ann', prompt: 'build' });
  await using _worker = await startWorker({
    database: server.url,
    limits,
    agent: {
      options: () => ({
        ...bashOptions(home),
        canUseTool: async () => {
          expect(await fleet.steer(turn.id, 'ALSO-THE-TESTS', { by: 'bob' })).toBe('accepted');
          await expect.poll(async () => (await fleet.steers(turn.id))[0]?.passedAt).toEqual(expect.any(Number));
          return allow();
        },
        hooks: { PreToolUse: () => {} },
      }),
    },
  });
  expect((await turn.outcome()).outcome.kind).toBe('completed');
  const requests = api.requests.filter(({ isMainConversation }) => isMainConversation);
  const read = requests.map(({ body }) => JSON.stringify(body.messages).includes('ALSO-THE-TESTS'));
  expect(read[0]).toBe(false);
  expect(read.at(-1)).toBe(true);
  expect(JSON.stringify(await fleet.transcript('ann'))).toContain('ALSO-THE-TESTS');
  await rm(directory, { recursive: true, force: true });
});
