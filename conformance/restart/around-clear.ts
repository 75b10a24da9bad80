import { setTimeout as sleep } from 'node:timers/promises';
import { delay, text } from '@coxswain/testkit';
import { openSession, type RunEvent, type Session } from 'coxswain';
import { TurnInterruptedError } from 'coxswain/errors';
import { realCli } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';

/** When the CLI is killed: some time after `/clear` was sent, when it names the new conversation, or some time after `clear()`. */
export type KillPoint = { readonly sent: number } | 'init' | { readonly cleared: number };

/** One kill, after this many turns before the clear. */
export interface ClearRound {
  readonly point: KillPoint;
  readonly turnsBefore: number;
}

/** Kills the CLI of a restarting session around a `clear()`, once in each round; returns descriptions of the failures. */
export async function killAroundClear(version: string, rounds: readonly ClearRound[], atOnce = 3): Promise<string[]> {
  const answer = ({ lastUserText }: { lastUserText: string }) => [delay(20), text(answerTo(lastUserText))];
  await using scene = await openScene(answer, { version });
  const waiting = [...rounds.entries()];
  const problems: string[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const problem = await play(scene, version, ...next);
      if (problem !== undefined) problems.push(problem);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return problems;
}

async function play(scene: Scene, version: string, nth: number, round: ClearRound): Promise<string | undefined> {
  const events: RunEvent[] = [];
  await using session = openSession({
    cli: realCli(version),
    cwd: scene.home.project,
    inheritEnv: false,
    env: scene.home.env(),
    onEvent: (event) => void events.push(event),
    restart: { delayMs: 20, maxDelayMs: 40 },
  });
  await session.ready;
  for (let turn = 0; turn < round.turnsBefore; turn++) await session.send(`before ${nth}`).text();
  await clearAndKill(session, round.point);

  // The prompt may be written to the pipe of a dying CLI: then its turn reports that, and the model received nothing.
  const prompt = `after ${nth}`;
  let ended = await outcome(session, prompt);
  if (ended instanceof TurnInterruptedError) ended = await outcome(session, prompt);
  const asked = scene.api.conversation.filter(({ lastUserText }) => lastUserText === prompt).length;
  if (ended === answerTo(prompt) && asked === 1) return undefined;
  const restarts = events.flatMap((event) => (event.type === 'restarting' ? [String(event.cause?.message)] : []));
  return [`round ${nth} (${JSON.stringify(round)}): ${ended}, asked ${asked} times`, ...restarts].join('\n  ');
}

async function clearAndKill(session: Session, point: KillPoint): Promise<void> {
  const { id, pid = 0 } = session;
  const messages = session.messages();
  const clearing = session.clear().catch(() => {}); // The kill may interrupt it.
  if (point === 'init') {
    for await (const seen of messages) {
      if (
        seen.kind === 'message' &&
        seen.message.type === 'system' &&
        seen.message.subtype === 'init' &&
        seen.message.session_id !== id
      )
        break;
    }
  } else if ('sent' in point) {
    await sleep(point.sent);
  } else {
    await clearing;
    await sleep(point.cleared);
  }
  process.kill(pid, 'SIGKILL');
  await clearing;
}

/** The answer, the error, or a note that neither arrived. */
async function outcome(session: Session, prompt: string): Promise<unknown> {
  const tooLate = sleep(30_000, 'no answer within 30 s', { ref: false });
  return Promise.race([session.send(prompt).text(), tooLate]).catch((error: unknown) => error);
}

function answerTo(prompt: string): string {
  return `answer to ${prompt}`;
}
