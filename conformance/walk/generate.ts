import { type Act, type PromptPlan, tokenOf } from './prompt.ts';
import { type Random, randomFrom } from './random.ts';
import type { HookLengths, SendStep, Step, Walk, WalkKind, WalkMode } from './steps.ts';

/** Generates a walk; the same seed gives the same walk. */
export function generateWalk(options: {
  readonly seed: number;
  readonly release: string;
  readonly kind: WalkKind;
  readonly length: number;
}): Walk {
  const { seed, release, kind, length } = options;
  const random = randomFrom(seed);
  const maker = new StepMaker(random, kind, !AMBIGUOUS_TASK_RUNS.includes(release));
  const mode = random.pick<WalkMode>(['plan', 'acceptEdits', 'acceptEdits']);
  const hooks = hookLengths(random, release);
  const steps: Step[] = [];
  while (steps.length < length) steps.push(...maker.next());
  return { seed, release, kind, mode, hooks, steps };
}

class StepMaker {
  readonly #random: Random;
  readonly #kind: WalkKind;
  readonly #table: StepTable;
  #prompts = 0;

  constructor(random: Random, kind: WalkKind, hasTasks: boolean) {
    this.#random = random;
    this.#kind = kind;
    const table = kind === 'pool' ? POOL_STEPS : SESSION_STEPS;
    this.#table = hasTasks
      ? table
      : table.filter(([, make]) => make !== backgroundThenSend && make !== backgroundAmongSends);
  }

  /** One step, or a few that belong together. */
  next(): Step[] {
    const total = this.#table.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#random.next() * total;
    for (const [weight, make] of this.#table) {
      left -= weight;
      if (left < 0) return make(this, this.#random);
    }
    return [{ do: 'settle' }];
  }

  send(changes: Partial<SendStep> = {}): SendStep {
    const random = this.#random;
    const key = this.#kind === 'pool' ? { key: random.pick(['a', 'a', 'b', 'c']) } : {};
    const mode = random.chance(0.35) ? { mode: random.pick<WalkMode>(['plan', 'acceptEdits']) } : {};
    return { do: 'send', prompt: this.prompt(), ...key, ...mode, ...changes };
  }

  prompt(acts: readonly Act[] = this.#acts()): PromptPlan {
    const random = this.#random;
    return {
      token: tokenOf(++this.#prompts),
      slowMs: random.chance(0.3) ? 20 + random.below(250) : 0,
      lingerMs: random.chance(0.15) ? 20 + random.below(200) : 0,
      acts,
    };
  }

  /** A prompt that starts short background work. In plan mode no command would run. */
  background(): SendStep {
    const random = this.#random;
    const left = (): Act => {
      const ms = 20 + random.below(random.chance(0.7) ? 350 : 1_200);
      const ownMs = random.chance(0.3) ? 20 + random.below(300) : 0;
      return { do: random.chance(0.7) ? 'background' : 'agent', ms, ownMs };
    };
    const prompt = this.prompt(Array.from({ length: random.chance(0.3) ? 2 : 1 }, left));
    return this.send({ prompt, mode: random.chance(0.3) ? 'acceptEdits' : undefined });
  }

  #acts(): Act[] {
    const random = this.#random;
    const acts: Act[] = [];
    if (random.chance(0.3)) acts.push({ do: 'bash', ms: 10 + random.below(200) });
    if (random.chance(0.6)) acts.push({ do: 'write' });
    return acts;
  }
}

type Maker = (make: StepMaker, random: Random) => Step[];

const pause: Maker = (_, random) => [{ do: 'pause', ms: random.below(random.chance(0.7) ? 120 : 600) }];

const sends: Maker = (make, random) => Array.from({ length: 1 + random.below(3) }, () => make.send());

const backgroundThenSend: Maker = (make, random) => {
  const wait: Step = random.chance(0.5) ? { do: 'task-end' } : { do: 'settle' };
  const gap: Step[] = random.chance(0.5) ? [{ do: 'pause', ms: random.below(60) }] : [];
  return [make.background(), wait, ...gap, ...sends(make, random)];
};

const backgroundAmongSends: Maker = (make, random) => [make.background(), ...sends(make, random)];

const timedOut: Maker = (make, random) => {
  const slow = { ...make.prompt(random.chance(0.5) ? [{ do: 'write' }] : []), slowMs: 1_500 };
  return [make.send({ prompt: slow, timeoutMs: 150 + random.below(300) })];
};

const aborted: Maker = (make, random) => [make.send({ abortAfterMs: random.below(400) })];

/** Steering and one or two interrupts, in any order, while the model works. */
const typedAndInterrupted: Maker = (make, random) => {
  const prompt = make.prompt(random.chance(0.5) ? [{ do: 'bash', ms: 100 + random.below(200) }] : []);
  const interrupt: Step = { do: 'interrupt', what: random.pick<'session' | 'turn'>(['session', 'turn']), times: 1 };
  const gap = (): Step[] => (random.chance(0.5) ? [{ do: 'pause', ms: random.below(100) }] : []);
  const steer: Step = { do: 'steer', prompt: make.prompt([]), interrupts: random.below(3) };
  const inOrder: Step[][] = random.chance(0.5) ? [[steer], [interrupt]] : [[interrupt], [steer]];
  const slow = { ...prompt, slowMs: 150 + random.below(200) };
  return [make.send({ prompt: slow }), { do: 'heard' }, ...inOrder.flatMap((step) => [...step, ...gap()]), make.send()];
};

/** Steps, each with its weight. */
type StepTable = readonly (readonly [number, Maker])[];

/** Steps that pools have too. */
const SHARED_STEPS: StepTable = [
  [14, sends],
  [10, backgroundThenSend],
  [6, backgroundAmongSends],
  [10, pause],
  [5, () => [{ do: 'settle' }]],
  [4, () => [{ do: 'task-end' }]],
  [3, timedOut],
  [4, aborted],
];

const SESSION_STEPS: StepTable = [
  ...SHARED_STEPS,
  [3, (make, random) => [{ do: 'steer', prompt: make.prompt([]), interrupts: random.below(3) }]],
  [3, typedAndInterrupted],
  [
    5,
    (_, random) => [
      { do: 'interrupt', what: random.pick<'session' | 'turn'>(['session', 'turn']), times: 1 + random.below(2) },
    ],
  ],
  [4, (_, random) => [{ do: 'mode', mode: random.pick<WalkMode>(['plan', 'acceptEdits']) }]],
  [2, (_, random) => [{ do: 'model', model: random.pick(['claude-sonnet-4-5', 'claude-haiku-4-5']) }]],
  [3, (make, random) => [{ do: 'push', prompt: make.prompt([]), uuid: random.chance(0.5) }, make.send()]],
  [1, () => [{ do: 'settle' }, { do: 'clear' }]],
  [0.5, () => [{ do: 'clear' }]],
  [0.5, (make) => [{ do: 'settle' }, { do: 'fork', prompt: make.prompt([]) }]],
  [1, () => [{ do: 'kill' }]],
];

const POOL_STEPS: StepTable = [
  ...SHARED_STEPS,
  [3, (make, random) => [{ do: 'steer', prompt: make.prompt([]), interrupts: random.below(2) }]],
  [1, () => [{ do: 'kill' }]],
];

/**
 * Releases that exit when they are interrupted while the hook of a prompt is pending. A session does not interrupt them then,
 * but an interrupt on its way may reach them when they have just started a turn themselves.
 */
const EXIT_AT_PROMPT_HOOK: readonly string[] = ['2.1.97', '2.1.197', '2.1.290'];

/** Releases whose results do not show whether a prompt or the end of a task has started their run; see docs/compatibility.md. */
const AMBIGUOUS_TASK_RUNS: readonly string[] = ['2.1.97'];

function hookLengths(random: Random, release: string): HookLengths {
  const length = (): number => 5 + random.below(200);
  return {
    ...(random.chance(0.4) && !EXIT_AT_PROMPT_HOOK.includes(release) ? { UserPromptSubmit: length() } : {}),
    ...(random.chance(0.3) ? { PreToolUse: length() } : {}),
    ...(random.chance(0.2) ? { Stop: length() } : {}),
  };
}
