import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { NO_PLAN, planSession, type RunPlan } from '../launch/plan.ts';
import type { AgentOptions, OutputSchema } from '../options/groups.ts';
import { Observers } from '../session/observers.ts';
import { openPlainSession } from '../session/open.ts';
import type { Session } from '../session/session.ts';
import { currentContext } from '../stream/async-context.ts';
import { SupervisedHandle } from './handle.ts';
import { planLife } from './plan-life.ts';
import { checkPolicy, type RestartPolicy } from './supervision.ts';
import { Supervisor } from './supervisor.ts';

/** The options of a session, and whether the CLI is started again when it dies. */
export type OpenSessionOptions<T = unknown> = AgentOptions<T> & {
  /** `true`, or a policy: the session outlives its CLI process. Off by default. */
  readonly restart?: boolean | RestartPolicy | undefined;
};

/** Opens a session and returns at once; `ready` settles when the CLI has answered the handshake. Never throws. */
export function openSession<T = unknown>(options: OpenSessionOptions<T> = {}): Session<T> {
  return openSessionWith([options]);
}

/** The same from layers of options, the strongest first. */
export function openSessionWith<T>(layers: readonly OpenSessionOptions<T>[]): Session<T> {
  const given = layers.find((layer) => layer?.restart !== undefined)?.restart;
  const agent = layers.map((layer) => {
    if (layer?.restart === undefined) return layer;
    const { restart: _, ...options } = layer;
    return options;
  });
  if (given === undefined || given === false) return openPlainSession(agent);
  return openRestartingSession(agent, given === true ? {} : given);
}

/** Opens a session that outlives its CLI. */
function openRestartingSession<T>(layers: readonly AgentOptions<T>[], policy: RestartPolicy): SupervisedHandle<T> {
  const problems: OptionProblem[] = [];
  const supervision = checkPolicy(policy, (problem) => problems.push(problem));
  const plan = planned(layers, problems);
  const first = planLife(plan);
  const refusal = problems.length > 0 ? new OptionsError(problems) : undefined;
  const observers = new Observers(plan.limits.observerBytes);
  const supervisor = new Supervisor({ plan, first, refusal, supervision, observers, inContext: currentContext() });
  return new SupervisedHandle<T>(supervisor, {
    observers,
    // The schema of its sessions is what T stands for.
    outputSchema: first.given.outputSchema as OutputSchema<T> | undefined,
    layers,
    open: (others) => openRestartingSession(others, policy),
  });
}

function planned(layers: readonly AgentOptions[], problems: OptionProblem[]): RunPlan {
  try {
    const plan = planSession(layers);
    const { persistSession, transport } = plan.options;
    if (persistSession === false) {
      const message = 'cannot be false with restart: there would be nothing to take up after a restart.';
      problems.push({ path: 'persistSession', message });
    }
    if (typeof transport === 'object') {
      const message = 'is one connection, and each restart needs another: give a function that makes them.';
      problems.push({ path: 'transport', message });
    }
    return plan;
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    problems.push(...error.problems);
    return NO_PLAN;
  }
}
