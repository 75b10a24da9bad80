import { readdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentOptions } from 'coxswain';
import { killQuietly } from '../harness/processes.ts';
import { realCli } from '../harness/real-cli.ts';
import { openScene, type Scene } from '../harness/scene.ts';
import { BOUND_MS } from './bounded.ts';
import { type Violation, violationsOf } from './checks.ts';
import type { Driver } from './driver.ts';
import { Ledger } from './ledger.ts';
import { PoolDriver } from './pool-driver.ts';
import { fileOf, tokensIn } from './prompt.ts';
import { randomFrom } from './random.ts';
import { heardIn, TASK_END, walkModel } from './responder.ts';
import { SessionDriver } from './session-driver.ts';
import type { HookLengths, Walk } from './steps.ts';
import { eventInShort } from './trace.ts';

/** The outcome of a walk. */
export interface WalkReport {
  readonly walk: Walk;
  readonly violations: readonly Violation[];
  readonly prompts: number;
  readonly answered: number;
  readonly trace: readonly string[];
}

/** Carries out all steps of a walk on the real CLI and compares what happened with what was requested. */
export async function runWalk(walk: Walk): Promise<WalkReport> {
  const ledger = new Ledger();
  let agents = 0;
  const model = walkModel({
    project: () => scene.home.project,
    agentEnds: () => {
      agents++;
    },
    received: (tokens) => ledger.heard(tokens),
  });
  const scene: Scene = await openScene({ main: model, subagent: model }, { version: walk.release });
  const driver = driverFor(walk, scene, ledger);
  const tasks = new TaskEnds(
    async () => agents + (await filesOf(scene)).filter((name) => name.endsWith(TASK_END)).length,
  );
  try {
    for (const step of walk.steps) {
      if (step.do === 'send')
        tasks.expect(step.prompt.acts.filter(({ do: act }) => act === 'background' || act === 'agent').length);
      if (step.do === 'task-end') await tasks.next();
      if (step.do === 'heard') await heard(scene, ledger.oldestOpen()?.plan.token);
      ledger.note(JSON.stringify(step));
      await driver.take(step);
      if (ledger.problems.length > 0) break;
    }
    if (ledger.problems.length === 0) await driver.end();
    return await report(walk, ledger, scene);
  } finally {
    await driver.abandon();
    for (const { pid } of scene.processes()) killQuietly(pid);
    await scene[Symbol.asyncDispose]();
  }
}

function driverFor(walk: Walk, { home }: Scene, ledger: Ledger): Driver {
  const options: AgentOptions = {
    cli: realCli(walk.release),
    cwd: home.project,
    inheritEnv: false,
    env: home.env(),
    allowedTools: ['Bash', 'Agent', 'Task'],
    hooks: slowHooks(walk.hooks, walk.seed),
    limits: PATIENT,
    onEvent: (event) => ledger.note(eventInShort(event)),
  };
  return walk.kind === 'pool' ? new PoolDriver(walk, options, ledger) : new SessionDriver(walk, options, ledger);
}

/** A walk looks for wrong answers and modes: a CLI that is slow because the machine is busy is not an error. */
const PATIENT = {
  versionTimeoutMs: BOUND_MS / 2,
  startTimeoutMs: BOUND_MS / 2,
  controlTimeoutMs: BOUND_MS / 2,
  interruptTimeoutMs: BOUND_MS / 2,
  graceMs: BOUND_MS / 4,
} as const;

/** Hooks that take a while and decide nothing. */
function slowHooks(lengths: HookLengths, seed: number): NonNullable<AgentOptions['hooks']> {
  const random = randomFrom(seed);
  const hooks = Object.entries(lengths).map(([event, ms]) => [event, () => sleep(random.below(ms))]);
  return Object.fromEntries(hooks);
}

/** A prompt that is held back or cancelled never arrives, hence the time limit. */
async function heard({ api }: Scene, token: string | undefined): Promise<void> {
  if (token === undefined) return;
  await api.waitForRequest((request) => heardIn(request).includes(token), { timeoutMs: 2_000 }).catch(() => {});
}

async function report(walk: Walk, ledger: Ledger, scene: Scene): Promise<WalkReport> {
  const files = await filesOf(scene);
  const left = ledger.problems.length > 0 ? [] : await stillRunning(scene);
  const violations = violationsOf({
    walk,
    ledger,
    requests: scene.api.requests,
    written: new Set(ledger.entries.map(({ plan }) => plan.token).filter((token) => files.includes(fileOf(token)))),
    processes: left,
  });
  const sent = ledger.entries.filter(({ how }) => how === 'send');
  const answered = sent.filter(
    ({ ending, plan }) => ending?.kind === 'result' && tokensIn(ending.text).includes(plan.token),
  );
  const problems = scene.api.problems.map((detail) => ({ rule: 'the fake API fails', detail }));
  return {
    walk,
    violations: [...violations, ...problems],
    prompts: sent.length,
    answered: answered.length,
    trace: ledger.trace,
  };
}

/** A killed process may still be exiting. */
async function stillRunning(scene: Scene): Promise<string[]> {
  for (const deadline = performance.now() + BOUND_MS / 4; performance.now() < deadline; await sleep(20)) {
    if (scene.processes().length === 0) return [];
  }
  return scene.processes().map(({ command }) => command);
}

function filesOf({ home }: Scene): Promise<string[]> {
  return readdir(home.project);
}

/** Waits for the end of background tasks, one after the other. */
class TaskEnds {
  readonly #count: () => Promise<number>;
  #expected = 0;
  #seen = 0;

  constructor(count: () => Promise<number>) {
    this.#count = count;
  }

  expect(tasks: number): void {
    this.#expected += tasks;
  }

  /** A task that was interrupted or never started does not end, hence the time limit. */
  async next(): Promise<void> {
    if (this.#seen >= this.#expected) return;
    for (const deadline = performance.now() + LONGEST_TASK_MS; performance.now() < deadline; await sleep(3)) {
      const ended = await this.#count();
      if (ended <= this.#seen) continue;
      this.#seen = ended;
      return;
    }
    this.#expected = this.#seen;
  }
}

const LONGEST_TASK_MS = 1_500;
