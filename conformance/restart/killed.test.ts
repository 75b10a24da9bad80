import { setTimeout as sleep } from 'node:timers/promises';
import { delay, text } from '@coxswain/testkit';
import { openSession, type RunEvent, type Session } from 'coxswain';
import { TurnInterruptedError } from 'coxswain/errors';
import { describe, expect, it } from 'vitest';
import { LONG_FORM } from '../../packages/sdk/test/support/long-form.ts';
import { isTestedNow, pinnedVersion, realCli } from '../harness/real-cli.ts';
import { openScene } from '../harness/scene.ts';
import { randomFrom } from './random.ts';

/** Set it to repeat a run that failed. */
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000);

describe.concurrent('a restarting session whose CLI is killed at random moments', () => {
  it.each(
    [
      LONG_FORM
        ? { version: pinnedVersion, turns: 50, kills: 20, remembers: 10 }
        : { version: pinnedVersion, turns: 16, kills: 6, remembers: 2 },
      // It writes its transcript with a delay: most of the output just before a kill is not on disk.
      { version: '2.1.197', turns: LONG_FORM ? 12 : 8, kills: LONG_FORM ? 3 : 2, remembers: 1 },
    ].filter(({ version }) => isTestedNow(version)),
  )(
    '[A-2, R-3] of $version: each of $turns turns is answered or reports an interruption; no completed turn is lost',
    {
      timeout: 120_000,
    },
    async ({ version, turns, kills, remembers }) => {
      console.log(`SEED=${SEED} (${version})`);
      const random = randomFrom(SEED);
      const answer = (prompt: string): string => prompt.replace('prompt', 'answer');
      await using scene = await openScene(({ lastUserText }) => [delay(40), text(answer(lastUserText))], { version });
      const events: RunEvent[] = [];
      await using session = openSession({
        cli: realCli(version),
        cwd: scene.home.project,
        inheritEnv: false,
        env: scene.home.env(),
        onEvent: (event) => void events.push(event),
        restart: { maxRestarts: 10 * kills, delayMs: 20, maxDelayMs: 40, firstStart: 'retry' },
      });
      const killing = killAtRandom(session, kills, random);
      const prompts = Array.from({ length: turns }, (_, nth) => `prompt ${nth} of many`);
      const asked = prompts.map((prompt) => ({ prompt, turn: session.send(prompt) }));
      const completed: typeof asked = [];
      for (const { prompt, turn } of asked) {
        const outcome = await turn.text().catch((error: unknown) => error);
        if (typeof outcome === 'string') {
          expect(outcome).toBe(answer(prompt));
          completed.push({ prompt, turn });
        } else {
          expect(outcome).toBeInstanceOf(TurnInterruptedError);
        }
      }
      expect(await killing).toBe(kills);
      // The last kill may hit the first attempt.
      const last = await session
        .send('last prompt')
        .text()
        .catch(() => session.send('last prompt').text());
      expect(last).toBe('last answer');

      // An interrupted prompt is in one message with the CLI's note about the interruption.
      const history =
        scene.api.conversation
          .at(-1)
          ?.turns.map((turn) => turn.text)
          .join('\n') ?? '';
      const remembered = history.match(/(?:prompt|answer) \d+ of many/g) ?? [];
      const known = completed
        .filter(({ turn }) => wasWrittenDown(turn.id, events))
        .flatMap(({ prompt }) => [prompt, answer(prompt)]);
      expect(known.length).toBeGreaterThanOrEqual(remembers);
      expect(remembered.filter((text) => known.includes(text))).toEqual(known);
      expect(completed.length).toBeGreaterThanOrEqual(turns - kills);
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index));
      expect(events.filter(({ type }) => type === 'restarted')).toHaveLength(session.restarts);
      await session.close();
      expect(session.state).toBe('stopped');
      expect(events.at(-1)?.type).toBe('stopped');
    },
  );
});

/**
 * A CLI that is killed at the end of a turn may not have written the turn to its transcript yet; with 2.1.197 that is common,
 * and the restart may even have to begin a new conversation.
 */
function wasWrittenDown(turn: string, events: readonly RunEvent[]): boolean {
  const ended = events.find((event) => event.type === 'turn-ended' && event.turn === turn)?.at ?? 0;
  return !events.some(
    (event) =>
      (event.type === 'exit' && event.at >= ended && event.at < ended + 400) ||
      (event.type === 'warning' && event.warning.code === 'conversation-lost' && event.at > ended),
  );
}

/** Kills the CLI this many times: sometimes while it starts, mostly a little after it has started a turn. */
async function killAtRandom(session: Session, times: number, random: () => number): Promise<number> {
  let killed = 0;
  let pid = 0;
  let spare = 0;
  for await (const event of session.events()) {
    if (event.type === 'started') {
      pid = event.pid ?? 0;
      spare = random() < 0.2 ? -1 : Math.floor(random() * 2);
      if (spare >= 0) continue;
      await sleep(random() * 600);
    } else if (event.type === 'turn-started') {
      if (spare-- !== 0) continue;
      await sleep(random() * 120);
    } else {
      continue;
    }
    process.kill(pid, 'SIGKILL');
    if (++killed === times) break;
  }
  return killed;
}
