import { type OptionProblem, OptionsError } from '../errors/options.ts';
import { defaultLimits, defaultSessionLimits, type Limits } from '../limits.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/content.ts';
import type { AgentOptions, SdkOptions } from './groups.ts';
import type { HostFacts } from './host.ts';
import { checkPrompt } from './prompt.ts';
import { type Judgement, judge } from './validate.ts';

/** The options of a run: checked, copied, laid over each other, with the defaults filled in. */
export type ResolvedOptions<T = unknown> = Omit<AgentOptions<T>, 'limits' | 'cli' | 'inheritEnv'> & {
  readonly limits: Limits;
  readonly cli: NonNullable<SdkOptions['cli']>;
  readonly inheritEnv: NonNullable<SdkOptions['inheritEnv']>;
};

/** What a run starts from. */
export interface ResolvedRun<T = unknown> {
  readonly options: ResolvedOptions<T>;
  readonly limits: Limits;
  readonly warnings: readonly Warning[];
}

/** What a query starts from. */
export interface ResolvedQuery<T = unknown> extends ResolvedRun<T> {
  readonly prompt: UserContent;
}

/**
 * Makes the options of a query out of layers, the strongest first (the call's, then the client's); the environment and
 * the defaults lie below them.
 * @throws OptionsError
 */
export function resolveQuery<T = unknown>(
  prompt: unknown,
  layers: readonly unknown[],
  host: HostFacts,
): ResolvedQuery<T> {
  const problems: OptionProblem[] = [];
  const content = checkPrompt(prompt, (path, message) => problems.push({ path, message }));
  const judged = judge(layers, host);
  if (content === undefined || problems.length > 0) throw new OptionsError([...problems, ...judged.problems]);
  return { prompt: content, ...resolved<T>(judged, defaultLimits) };
}

/** Makes the options of a session. @throws OptionsError */
export function resolveSession(layers: readonly unknown[], host: HostFacts): ResolvedRun {
  return resolved(judge(layers, host), defaultSessionLimits);
}

function resolved<T>(judged: Judgement, defaults: Limits): ResolvedRun<T> {
  if (judged.problems.length > 0) throw new OptionsError(judged.problems);
  // The caller's signature ties T to the outputSchema among the layers.
  const options = judged.options as AgentOptions<T>;
  const limits: Limits = options.limits ? { ...defaults, ...definedOnly(options.limits) } : defaults;
  return {
    // Not spread: what is added behind a spread gives each object a shape of its own, and all who read it are slower.
    options: Object.assign({ cli: 'auto' as const, inheritEnv: true as const }, options, { limits }),
    limits,
    warnings: judged.warnings,
  };
}

function definedOnly(limits: NonNullable<SdkOptions['limits']>): Partial<Limits> {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
