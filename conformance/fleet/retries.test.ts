import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, startEmbedded, startWorker } from '@coxswain/fleet';
import { apiError, startFakeApi, text } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { pinnedVersion } from '../harness/real-cli.ts';
import { bashOptions } from './bash-options.ts';

const limits = { pollMs: 500, flushMs: 20 };

it(`[F-44, F-43] on ${pinnedVersion}, a turn that the API refused gets another attempt, with the history and the rest of its budget`, {
  timeout: 120_000,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coxswain-retries-'));
  await chmod(directory, 0o755);
  await using server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
  let failures = 0;
  await using api = await startFakeApi(({ body }) => {
    if (!JSON.stringify(body.messages).includes('SECOND') || failures >= 2) return text('ANSWER');
    failures += 1;
    return apiError(500);
  });
  await using fleet = await openFleet({ database: server.url, limits });
  await using home = await isolatedHome(api.url);
  await using _worker = await startWorker({
    database: server.url,
    limits,
    agent: { options: () => bashOptions(home, { CLAUDE_CODE_MAX_RETRIES: '0' }) },
  });
  const first = await fleet.submit({ key: 'ann', prompt: 'FIRST' });
  expect((await first.outcome()).outcome.kind).toBe('completed');
  const turn = await fleet.submit({
    key: 'ann',
    prompt: 'SECOND',
    retry: { attempts: 3, backoffMs: 0 },
    maxUsdPerTurn: 5,
  });
  const items: string[] = [];
  for await (const item of turn.follow()) if (item.kind === 'retry') items.push(item.outcome.kind);
  expect(items).toEqual(['api-error', 'api-error']);
  expect(await turn.info()).toMatchObject({ attempt: 3, retries: 2, outcome: { kind: 'completed', text: 'ANSWER' } });
  const requests = api.requests.filter(({ isMainConversation }) => isMainConversation);
  // The prompt of each attempt is part of the history, as after a person has asked again; the error is not.
  const sent = requests.map(({ body }) => JSON.stringify(body.messages).split('SECOND').length - 1);
  expect(sent).toEqual([0, 1, 2, 3]);
  expect(JSON.stringify(requests.at(-1)?.body.messages)).not.toContain('API Error');
  await rm(directory, { recursive: true, force: true });
});
