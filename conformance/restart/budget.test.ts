import { text, usage } from '@coxswain/testkit';
import { type OpenSessionOptions, openSession, outcomeOf, type RunEvent, type Session } from 'coxswain';
import { describe, expect, it } from 'vitest';
import { killQuietly } from '../harness/processes.ts';
import { realCli, testedVersions } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { openPoolStage } from '../pool/stage.ts';

/** The cost of one answer with 1000 input and 100 output tokens with this model. */
const UNIT = 0.0045;
const MODEL = 'claude-sonnet-4-5';

const answers = () => [text('done'), usage({ input_tokens: 1_000, output_tokens: 100 })];

describe.concurrent.each(testedVersions)('a budget, with %s', (version) => {
  it('[A-7] of a restarting session is spent once, over three processes that are killed', async () => {
    await using scene = await openScene(answers, { version });
    const events: RunEvent[] = [];
    await using session = open(scene, version, { maxBudgetUsd: 4.5 * UNIT, onEvent: (event) => events.push(event) });
    expect(await outcomes(session, 2)).toEqual(['completed', 'completed']);
    await kill(session, events);
    expect(await outcomes(session, 2)).toEqual(['completed', 'completed']);
    await kill(session, events);
    // Half a unit remains: the first answer of this process exceeds it.
    expect(await outcomes(session, 2)).toEqual(['budget', 'budget']);
    expect(session.cost().costUsd).toBeCloseTo(5 * UNIT, 6);
    const { conversation } = scene.api;
    expect(conversation).toHaveLength(5);

    // Nothing remains for a fourth process.
    killQuietly(Number(session.pid));
    await session.closed;
    const own = await session.send('once more').result();
    expect([own.subtype, outcomeOf(own).kind]).toEqual(['error_max_budget_usd', 'budget']);
    expect(scene.processes()).toEqual([]);
    expect(scene.api.conversation).toHaveLength(5);
  });

  it('[A-7] of a restarting session is not renewed by a clear()', async () => {
    await using scene = await openScene(answers, { version });
    await using session = open(scene, version, { maxBudgetUsd: 2.5 * UNIT });
    expect(await outcomes(session, 1, 'before')).toEqual(['completed']);
    const { id } = session;
    await session.clear();
    expect(await outcomes(session, 2, 'after')).toEqual(['completed', 'budget']);
    expect(session.id).not.toBe(id);
    await session.clear();
    expect(await outcomes(session, 1)).toEqual(['budget']);
    expect(session.cost().costUsd).toBeCloseTo(3 * UNIT, 6);
    // The process that continues has not loaded the cleared conversation either.
    expect(withBefore(scene)).toEqual([true, false, false]);
  });

  it('[A-7] the result of a turn that no process runs has the same fields as a result of the CLI', async () => {
    await using scene = await openScene(answers, { version });
    await using session = open(scene, version, { maxBudgetUsd: 0.5 * UNIT });
    await session.send('one').result();
    const given = await session.send('two').result();
    killQuietly(Number(session.pid));
    await session.closed;
    const own = await session.send('three').result();
    const lacking = Object.keys(given).filter((field) => !(field in own));
    expect(lacking.filter((field) => !OF_A_PROCESS.has(field))).toEqual([]);
    for (const field of ['type', 'subtype', 'is_error', 'errors', 'session_id', 'stop_reason'] as const) {
      expect({ [field]: Object(own)[field] }).toEqual({ [field]: Object(given)[field] });
    }
    expect(own.total_cost_usd).toBeCloseTo(given.total_cost_usd, 9);
  });

  it('[A-7] of a pool key is spent once, over processes that are evicted', async () => {
    await using stage = await openPoolStage(answers, { version });
    const pool = stage.pool({ size: 1, defaults: { maxBudgetUsd: 3.5 * UNIT, model: MODEL } });
    const kinds: string[] = [];
    for (const key of ['a', 'b', 'a', 'a', 'b', 'a', 'b', 'a']) {
      const outcome = await pool.run({ key, prompt: 'row' });
      kinds.push(`${key} ${outcome.status === 'finished' ? outcome.outcome.kind : outcome.status}`);
    }
    expect(kinds).toEqual([
      'a completed',
      'b completed',
      'a completed',
      'a completed',
      'b completed',
      'a budget',
      'b completed',
      'a budget',
    ]);
    expect(stage.api.conversation).toHaveLength(7);
  });

  it('[A-7] of a pool key is not renewed by a job that clears the conversation', async () => {
    await using stage = await openPoolStage(answers, { version });
    const pool = stage.pool({ size: 1, defaults: { maxBudgetUsd: 1.5 * UNIT, model: MODEL } });
    const outcomes: unknown[] = [];
    for (const prompt of ['before', '/clear', 'after', 'after']) outcomes.push(await pool.run({ key: 'a', prompt }));
    expect(outcomes).toMatchObject([
      { outcome: { kind: 'completed' } },
      { outcome: { kind: 'completed' } },
      { outcome: { kind: 'budget' } },
      { outcome: { kind: 'budget' } },
    ]);
    expect(withBefore(stage)).toEqual([true, false]);
  });
});

/** Fields that only a process can report. */
const OF_A_PROCESS: ReadonlySet<string> = new Set([
  'fast_mode_state',
  'fast_mode_disabled_reason',
  'queued_turn_count',
  'result_index',
  'safety_stops',
  'subagent_stats',
]);

function open(scene: Scene, version: string, options: OpenSessionOptions): Session {
  const { home } = scene;
  const restart = { delayMs: 0 };
  const own = { cli: realCli(version), cwd: home.project, inheritEnv: false, env: home.env(), model: MODEL };
  return openSession({ ...own, ...options, restart });
}

async function outcomes(session: Session, turns: number, prompt = 'row'): Promise<string[]> {
  const kinds: string[] = [];
  for (let turn = 0; turn < turns; turn++) kinds.push(outcomeOf(await session.send(prompt).result()).kind);
  return kinds;
}

/** For each request, whether it contains the prompt "before". */
function withBefore({ api }: Pick<Scene, 'api'>): boolean[] {
  return api.conversation.map(({ turns }) => turns.some((turn) => turn.text === 'before'));
}

/** Kills the CLI and waits until another one has replaced it. */
async function kill(session: Session, events: readonly RunEvent[]): Promise<void> {
  const restarts = session.restarts + 1;
  const waiting = session.events();
  killQuietly(Number(session.pid));
  for await (const event of waiting) {
    if ('type' in event && event.type === 'restarted' && session.restarts === restarts) return;
  }
  throw new Error(`The session ended: ${JSON.stringify(events.at(-1))}`);
}
