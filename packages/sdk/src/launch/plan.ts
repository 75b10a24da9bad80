import { buildEnv, secretsOf } from '../cli/env.ts';
import { defaultLimits } from '../limits.ts';
import type { QueryOptions } from '../options/groups.ts';
import type { HostFacts } from '../options/host.ts';
import { type ResolvedQuery, type ResolvedRun, resolveQuery, resolveSession } from '../options/resolve.ts';
import type { UserContent } from '../wire/messages.ts';
import { hostFacts } from './host-facts.ts';

/** Everything a run starts from, settled before anything is started. */
export interface RunPlan<T = unknown> extends ResolvedRun<T> {
  /** The CLI's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Values that must not be shown to anybody. */
  readonly secrets: Iterable<string>;
}

/** The plan of a one-shot query. */
export type QueryPlan<T = unknown> = RunPlan<T> & ResolvedQuery<T>;

/** Makes the plan of a query from layers of options, the strongest first. @throws OptionsError */
export function planQuery<T>(
  prompt: UserContent,
  layers: readonly QueryOptions<T>[],
  host: HostFacts = hostFacts(),
): QueryPlan<T> {
  return withEnvironment(resolveQuery<T>(prompt, layers, host), host);
}

/** Makes the plan of a session. @throws OptionsError */
export function planSession(layers: readonly QueryOptions[], host: HostFacts = hostFacts()): RunPlan {
  return withEnvironment(resolveSession(layers, host), host);
}

/** Stands in for options that cannot be used: a run of it only hands out the refusal. */
export const NO_PLAN: QueryPlan<never> = {
  prompt: '',
  options: { limits: defaultLimits, cli: 'auto', inheritEnv: true },
  limits: defaultLimits,
  warnings: [],
  env: {},
  secrets: [],
};

function withEnvironment<R extends ResolvedRun>(resolved: R, host: HostFacts): R & Pick<RunPlan, 'env' | 'secrets'> {
  const env = buildEnv(resolved.options, host);
  return { ...resolved, env, secrets: secretsOf(resolved.options, env) };
}
