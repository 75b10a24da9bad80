import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { NO_PLAN, planSession, type RunPlan } from '../launch/plan.ts';
import type { OutputSchema, SessionOptions } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { Observers } from '../session/observers.ts';
import type { OpenedEarly } from '../session/open.ts';
import { currentContext } from '../stream/async-context.ts';
import { SupervisedHandle } from './handle.ts';
import { planLife } from './plan-life.ts';
import { checkPolicy, type SupervisionPolicy } from './supervision.ts';
import { Supervisor } from './supervisor.ts';

/** Opens a session that outlives its CLI from layers of options, the strongest first. Never throws. */
export function superviseSessionWith<T>(
  layers: readonly SessionOptions<T>[],
  policy: SupervisionPolicy,
  early: OpenedEarly = {},
): SupervisedHandle<T> {
  const problems: OptionProblem[] = [];
  const supervision = checkPolicy(policy, (problem) => problems.push(problem));
  const plan = planned(layers, problems, early.host);
  const first = planLife(plan, early.newId);
  const refusal = problems.length > 0 ? new OptionsError(problems) : undefined;
  const observers = new Observers(plan.limits.observerBytes);
  const supervisor = new Supervisor({ plan, first, refusal, supervision, observers, inContext: currentContext() });
  return new SupervisedHandle<T>(supervisor, {
    observers,
    // The schema of its sessions is what T stands for.
    outputSchema: first.given.outputSchema as OutputSchema<T> | undefined,
    layers,
    open: (others) => superviseSessionWith(others, policy),
  });
}

function planned(layers: readonly SessionOptions[], problems: OptionProblem[], host: HostFacts | undefined): RunPlan {
  try {
    const plan = planSession(layers, host);
    const { persistSession, transport } = plan.options;
    if (persistSession === false) {
      const message = 'cannot be false for a supervised session: there would be nothing to take up after a restart.';
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
