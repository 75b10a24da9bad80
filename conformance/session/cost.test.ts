import { type ApiRequest, delay, type Reply, text, toolUse, usage } from '@coxswain/testkit';
import type { RunEvent, Session, TurnCost } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { killQuietly } from '../harness/processes.ts';
import { isTestedNow, testedVersions } from '../harness/real-cli.ts';
import { openStage, type Stage } from './stage.ts';

/** The cost of one answer with 1000 input and 100 output tokens with this model. */
const UNIT = 0.0045;
const MODEL = { model: 'claude-sonnet-4-5', allowedTools: ['Bash'] };

// 2.1.197 counts each process separately, 2.1.290 continues the total of the previous process, 2.1.325 reports it per result.
const RELEASES = [...testedVersions, '2.1.290'].filter(isTestedNow);
describe.concurrent.each(RELEASES)('the cost of a turn with %s', (version) => {
  it('[M-8] is separate after a clean resume, after SIGKILL and resume, in a fork and after a clear', async () => {
    await using stage = await openStage(priced(), { version });
    const id = await inOneProcess(stage, {}, async (session) => {
      expect([await costOf(session, 1), await costOf(session, 2)]).toEqual([1, 2]);
    });

    const resumed = await stage.start({ ...MODEL, resume: id });
    expect([await costOf(resumed, 3), await costOf(resumed, 1)]).toEqual([3, 1]);
    const cut = resumed.send('1 wait');
    await stage.api.waitForRequest(({ lastUserText }) => lastUserText === '1 wait');
    killQuietly(Number(resumed.pid));
    expect(await cut.cost()).toMatchObject({ costUsd: 0, complete: false });
    expect(inUnits(resumed.cost())).toBe(4);
    expect(resumed.cost()).toMatchObject({ complete: false, background: { costUsd: 0 } });

    await inOneProcess(stage, { resume: id }, async (session) => {
      expect(await costOf(session, 2)).toBe(2);
      await using fork = await session.fork();
      expect([await costOf(fork, 1), await costOf(fork, 3)]).toEqual([1, 3]);
      await session.clear();
      expect([await costOf(session, 5), await costOf(session, 1)]).toEqual([5, 1]);
      expect(inUnits(session.cost())).toBe(8);
    });
  });

  it('[M-8] is reported for an interrupted, aborted or stopped turn, and is in no other turn; work that the CLI starts itself counts for the session', async () => {
    await using stage = await openStage(priced(), { version });
    const session = await stage.start(MODEL);

    const interrupted = session.send('1 hang');
    await stage.runs('tail -s 1 -f /dev/null');
    await interrupted.interrupt();
    expect(inUnits(await interrupted.cost())).toBe(1);

    const stop = new AbortController();
    const aborted = session.send('2 wallow', { signal: stop.signal });
    await stage.runs('tail -s 2 -f /dev/null');
    stop.abort();
    await expect(aborted.result()).rejects.toMatchObject({ code: 'abort' });
    expect(inUnits(await aborted.cost())).toBe(2);
    expect(await session.send('never sent', { signal: stop.signal }).cost()).toMatchObject({
      costUsd: 0,
      complete: true,
    });

    const background = session.send('1 background');
    await background.result();
    await session.idle();
    // The call, the answer after it, and the turn about the end of the command.
    expect(inUnits(await background.cost()) + inUnits(session.cost().background)).toBe(3);
    expect(await costOf(session, 4)).toBe(4);

    const stopped = session.send('3 linger');
    await stage.runs('tail -s 3 -f /dev/null');
    await session.close();
    expect([inUnits(await stopped.cost()), (await stopped.cost()).complete]).toEqual([3, true]);
    expect(inUnits(session.cost())).toBe(1 + 2 + 3 + 4 + 3);
    expect(session.cost()).toMatchObject({ complete: true, background: { complete: true } });
  });

  it.each<[string, (session: Session) => unknown]>([
    ['killed', (session) => killQuietly(Number(session.pid))],
    ['stopped', (session) => session.close()],
  ])('[M-8, S-4] is marked as incomplete when the CLI is %s with a subagent in the background', async (_, end) => {
    await using stage = await openStage({ main: priced(), subagent: () => [delay(30_000), text('late')] }, { version });
    const tasks: string[] = [];
    const onEvent = ({ type }: RunEvent): void => void (type.startsWith('task-') && tasks.push(type));
    const session = await stage.start({ ...MODEL, onEvent });
    const turn = session.send('1 delegate');
    await turn.result();
    await end(session);
    await session.closed;
    expect([inUnits(await turn.cost()), (await turn.cost()).complete]).toEqual([2, true]);
    expect(session.cost()).toMatchObject({ complete: false, background: { costUsd: 0, complete: false } });
    expect(tasks).toEqual(['task-opened', 'task-closed']);
  });
});

/** An API whose answer to a prompt costs as many units as the prompt starts with; everything after it in the turn costs one. */
function priced(): (request: ApiRequest) => Reply {
  const answered = new Set<string>();
  return ({ lastUserText }) => {
    const [prompt = '', count = '1', what] = /^(\d+) (\w+).*/.exec(lastUserText) ?? [];
    const isFirst = !answered.has(prompt);
    answered.add(prompt);
    const units = isFirst ? Number(count) : 1;
    const spent = usage({ input_tokens: units * 1000, output_tokens: units * 100 });
    if (what === 'wait') return [delay(30_000), spent, text('late')];
    if (!isFirst || what === undefined || !Object.hasOwn(COMMANDS, what)) return [spent, text('here you are')];
    return [spent, toolUse(what === 'delegate' ? 'Agent' : 'Bash', { ...COMMANDS[what], description: 'runs' })];
  };
}

const COMMANDS: Readonly<Record<string, object>> = {
  hang: { command: 'tail -s 1 -f /dev/null' },
  wallow: { command: 'tail -s 2 -f /dev/null' },
  linger: { command: 'tail -s 3 -f /dev/null' },
  background: { command: 'sleep 0.5', run_in_background: true },
  delegate: { prompt: 'Look around.', subagent_type: 'general-purpose', run_in_background: true },
};

async function inOneProcess(stage: Stage, options: object, talk: (session: Session) => Promise<void>) {
  const session = await stage.start({ ...MODEL, ...options });
  await talk(session);
  const { id } = session;
  await session.close();
  return id;
}

async function costOf(session: Session, units: number): Promise<number> {
  const turn = session.send(`${units} please, ${crypto.randomUUID()}`);
  await turn.result();
  const cost = await turn.cost();
  expect(cost.complete).toBe(true);
  expect(cost.usage).toMatchObject({ inputTokens: units * 1000, outputTokens: units * 100 });
  expect(Object.keys(cost.byModel)).toEqual([MODEL.model]);
  return inUnits(cost);
}

function inUnits({ costUsd }: TurnCost): number {
  return Number((costUsd / UNIT).toFixed(6));
}
