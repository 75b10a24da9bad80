import { RunEnvironment } from '../cli/environment.ts';
import { defaultLimits } from '../limits.ts';
import type { HostFacts } from '../options/environment.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { type ResolvedQuery, type ResolvedRun, resolveQuery, resolveSession } from '../options/resolve.ts';
import type { UserContent } from '../wire/messages.ts';

/** Everything a run needs, resolved before anything is started. */
export interface RunPlan<T = unknown> extends ResolvedRun<T> {
  readonly environment: RunEnvironment;
}

/** The plan of a query. */
export type QueryPlan<T = unknown> = RunPlan<T> & ResolvedQuery<T>;

/** The plan of a query from layers of options, the strongest first. @throws OptionsError */
export function planQuery<T>(
  prompt: UserContent,
  layers: readonly AgentOptions<T>[],
  host: HostFacts = hostFacts(),
): QueryPlan<T> {
  return withEnvironment(resolveQuery<T>(prompt, layers, host), host);
}

/** The plan of a session. @throws OptionsError */
export function planSession(layers: readonly AgentOptions[], host: HostFacts = hostFacts()): RunPlan {
  return withEnvironment(resolveSession(layers, host), host);
}

/** Replaces the plan of invalid options: such a run only reports their error. */
export const NO_PLAN: QueryPlan<never> = withEnvironment(
  {
    prompt: '',
    options: { limits: defaultLimits, cli: 'auto', inheritEnv: true },
    limits: defaultLimits,
    warnings: [],
  },
  { platform: process.platform, uid: undefined, env: {} },
);

/** What the options of a run depend on besides themselves. */
export function hostFacts(env: HostFacts['env'] = process.env): HostFacts {
  return { platform: process.platform, uid: process.getuid?.(), env };
}

function withEnvironment<R extends ResolvedRun>(resolved: R, host: HostFacts): R & Pick<RunPlan, 'environment'> {
  return { environment: new RunEnvironment(resolved.options, host), ...resolved };
}
