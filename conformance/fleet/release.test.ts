import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FleetTurn, openFleet, startEmbedded, startWorker, type TurnInfo, type Worker } from '@coxswain/fleet';
import { startFakeApi, text } from '@coxswain/testkit';
import { expect, it } from 'vitest';
import { POSTGRES_BINARIES } from '../../scripts/fetch/postgres.mjs';
import { isolatedHome } from '../harness/isolated-home.ts';
import { isTestedNow, pinnedVersion, realCli } from '../harness/real-cli.ts';
import { markersIn } from './asking.ts';

const limits = { pollMs: 500, flushMs: 20 };

/** The release that the fleet runs before. */
const olderVersion = '2.1.290';

/** Two of them are in half of the conversations, by the hashes of their keys. */
const KEYS = ['c', 'd', 'f', 'g'] as const;

it.runIf(isTestedNow(olderVersion))(
  `[F-51, F-2, F-3, F-6] from ${olderVersion} to ${pinnedVersion} under load: conversations move in shares, and no turn is lost, doubled or out of order`,
  { timeout: 180_000 },
  async () => {
    const directory = await mkdtemp(join(tmpdir(), 'coxswain-release-'));
    await chmod(directory, 0o755);
    await using server = await startEmbedded({ directory, binaries: POSTGRES_BINARIES });
    // Answers the last prompt of its history.
    await using api = await startFakeApi(({ turns }) => {
      const prompts = JSON.stringify(turns).match(/PROMPT-\d+/g) ?? [];
      return text(`ANSWER-${prompts.at(-1)?.slice('PROMPT-'.length)}`);
    });
    await using fleet = await openFleet({ database: server.url, limits });
    const begunAt = performance.now();
    await using older = await isolatedHome(api.url);
    await using newer = await isolatedHome(api.url);
    const hire = (version: string, home: typeof older): Promise<Worker> =>
      startWorker({
        database: server.url,
        limits,
        name: version,
        slots: 2,
        cli: realCli(version),
        agent: {
          options: () => ({
            cwd: home.project,
            env: home.env(),
            inheritEnv: false,
            settingSources: [],
            tools: [],
          }),
        },
      });
    let n = 0;
    /** Two turns for each conversation, without waiting for those before. */
    const submitRound = async (): Promise<FleetTurn[]> => {
      const turns: FleetTurn[] = [];
      for (const key of [...KEYS, ...KEYS]) {
        turns.push(await fleet.submit({ key, prompt: `PROMPT-${n}` }));
        n += 1;
      }
      return turns;
    };
    const old = await hire(olderVersion, older);
    const next = await hire(pinnedVersion, newer);
    expect((await fleet.workers()).map(({ agents }) => agents[0]?.cli)).toEqual([olderVersion, pinnedVersion]);

    await fleet.setRelease('default', { cli: pinnedVersion, share: 0 });
    const turns = await submitRound();
    await Promise.all(turns.slice(0, KEYS.length).map((turn) => turn.outcome()));
    await fleet.setRelease('default', { cli: pinnedVersion, share: 0.5 });
    const half = await submitRound();
    turns.push(...half);
    await Promise.all(half.slice(0, KEYS.length).map((turn) => turn.outcome()));
    await fleet.setRelease('default', { cli: pinnedVersion, share: 1 });
    const last = await submitRound();
    turns.push(...last);
    await old.drain({ timeoutMs: 60_000 });
    const ended = await Promise.all(turns.map((turn) => turn.outcome()));
    const seconds = (performance.now() - begunAt) / 1_000;

    expect(ended.map(({ outcome }) => outcome.kind === 'completed' && outcome.text)).toEqual(
      turns.map((_, index) => `ANSWER-${index}`),
    );
    const infos = await Promise.all(turns.map((turn) => turn.info()));
    for (const { cli, worker, attempt } of infos) {
      expect(attempt).toBe(1);
      expect([olderVersion, pinnedVersion]).toContain(cli);
      expect(worker).toBe(cli === olderVersion ? old.id : next.id);
    }
    for (const key of KEYS) {
      const own = infos.filter((info) => info.key === key);
      // From the old release to the new one, and not back.
      expect(own.map(({ cli }) => cli).sort()).toEqual(own.map(({ cli }) => cli));
      expect(own.map(({ startedAt }) => startedAt)).toEqual(own.map(({ startedAt }) => startedAt).sort());
      expect(markersIn(await fleet.transcript(key))).toEqual(
        own.flatMap(({ prompt }) => [String(prompt), String(prompt).replace('PROMPT', 'ANSWER')]),
      );
      // What the model read before each of its answers is the history so far, whatever release wrote it.
      const prompts = own.map(({ prompt }) => String(prompt));
      for (const request of api.requests.filter(({ isMainConversation }) => isMainConversation)) {
        const read = markersIn(request.turns).filter((marker) => marker.startsWith('PROMPT'));
        if (read.some((marker) => prompts.includes(marker))) expect(read).toEqual(prompts.slice(0, read.length));
      }
    }
    expect(await fleet.workers()).toMatchObject([{ name: pinnedVersion }]);
    const count = (list: readonly TurnInfo[], version: string): number =>
      list.filter(({ cli }) => cli === version).length;
    const rounds = [0, 1, 2].map((round) => infos.slice(round * last.length, (round + 1) * last.length));
    const [first = [], second = []] = rounds;
    expect(count(first.slice(0, KEYS.length), olderVersion)).toBe(KEYS.length);
    expect(count(second.slice(0, KEYS.length), olderVersion)).toBe(KEYS.length / 2);
    const shares = rounds.map((list) => `${count(list, olderVersion)} + ${count(list, pinnedVersion)}`);
    console.log(
      `${turns.length} turns in ${seconds.toFixed(1)} s, on ${olderVersion} + ${pinnedVersion}: ${shares.join(', ')}`,
    );
    await next.drain();
    await rm(directory, { recursive: true, force: true });
  },
);
