import { defaultLimits } from '../limits.ts';
import type { AgentOptions } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { type ResolvedQuery, type ResolvedRun, resolveQuery, resolveSession } from '../options/resolve.ts';
import type { UserContent } from '../wire/messages.ts';
import { RunEnvironment } from './environment.ts';
import { hostFacts } from './host-facts.ts';

/** Everything a run starts from, settled before anything is started. */
export interface RunPlan<T = unknown> extends ResolvedRun<T> {
  readonly environment: RunEnvironment;
}

/** The plan of a one-shot query. */
export type QueryPlan<T = unknown> = RunPlan<T> & ResolvedQuery<T>;

/** Makes the plan of a query from layers of options, the strongest first. @throws OptionsError */
export function planQuery<T>(
  prompt: UserContent,
  layers: readonly AgentOptions<T>[],
  host: HostFacts = hostFacts(),
): QueryPlan<T> {
  return withEnvironment(resolveQuery<T>(prompt, layers, host), host);
}

/** Makes the plan of a session. @throws OptionsError */
export function planSession(layers: readonly AgentOptions[], host: HostFacts = hostFacts()): RunPlan {
  return withEnvironment(resolveSession(layers, host), host);
}

/** Stands in for options that cannot be used: a run of it only hands out the refusal. */
export const NO_PLAN: QueryPlan<never> = withEnvironment(
  {
    prompt: '',
    options: { limits: defaultLimits, cli: 'auto', inheritEnv: true },
    limits: defaultLimits,
    warnings: [],
  },
  { platform: process.platform, uid: undefined, env: {} },
);

function withEnvironment<R extends ResolvedRun>(resolved: R, host: HostFacts): R & Pick<RunPlan, 'environment'> {
  return { environment: new RunEnvironment(resolved.options, host), ...resolved };
}
