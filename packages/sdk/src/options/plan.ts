import { checking, type Report } from '../errors/options.ts';
import { defaultLimits, defaultSessionLimits, type Limits } from '../limits.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/content.ts';
import { checkConflicts, ignoredOptions } from './conflicts.ts';
import { environmentLayer, environmentTable, type HostFacts, RunEnvironment } from './environment.ts';
import { layer, lostGuards } from './layers.ts';
import { type OptionLayer, readLayer } from './option-layer.ts';
import type { AgentOptions } from './option-types.ts';
import { checkPrompt } from './turn.ts';

/** Everything a run needs, resolved before anything is started. */
export interface RunPlan<T = unknown> {
  /** Checked, copied and merged from all layers. */
  readonly options: AgentOptions<T>;
  /** The limits from the options, with the defaults filled in. */
  readonly limits: Limits;
  readonly environment: RunEnvironment;
  /** The host's working directory when the run was created; undefined if it no longer existed. */
  readonly hostCwd: string | undefined;
  readonly warnings: readonly Warning[];
  /** The session resumes a parked call, which the CLI does when it starts. */
  readonly resumesCall?: boolean;
}

/** The plan of a query. */
export interface QueryPlan<T = unknown> extends RunPlan<T> {
  readonly prompt: UserContent;
}

/**
 * Plans a query from layers of options, strongest first: the call's, then the client's. The environment and the
 * defaults are weaker.
 * @throws OptionsError
 */
export function planQuery<T = unknown>(prompt: unknown, layers: readonly OptionLayer[], host: HostFacts): QueryPlan<T> {
  return checking((report) => {
    const content = checkPrompt(prompt, report) ?? '';
    return { prompt: content, ...planned<T>(layers, host, defaultLimits, report) };
  });
}

/** Plans a session. @throws OptionsError */
export function planSession(layers: readonly OptionLayer[], host: HostFacts): RunPlan {
  return checking((report) => planned(layers, host, defaultSessionLimits, report));
}

/** Replaces the plan if the options are invalid: such a run only reports the error. */
export const NO_PLAN: QueryPlan<never> = {
  prompt: '',
  options: {},
  limits: defaultLimits,
  environment: new RunEnvironment({}, { platform: '', env: {} }),
  hostCwd: undefined,
  warnings: [],
};

/** Merges the layers. */
function planned<T>(layers: readonly OptionLayer[], host: HostFacts, defaults: Limits, report: Report): RunPlan<T> {
  const all = [...layers, readLayer(environmentLayer(host.env), { variables: environmentTable })];
  for (const { path, message } of all.flatMap(({ problems }) => problems)) report(path, message);
  const bad = new Set(all.flatMap((given) => [...given.bad]));
  // The caller's signature ties T to the outputSchema among the layers.
  const options = layer(...all.map(({ values }) => values)) as AgentOptions<T>;
  checkConflicts(options, bad, host, report);
  const { warnings, ignored } = ignoredOptions(options);
  for (const name of ignored) Reflect.deleteProperty(options, name);
  return {
    options,
    // The check has removed undefined limits.
    limits: { ...defaults, ...(options.limits as Partial<Limits> | undefined) },
    environment: new RunEnvironment(options, host),
    hostCwd: cwdOf(host),
    warnings: [...lostGuards(layers.map(({ values }) => values)), ...warnings],
  };
}

/** The host's working directory, if it exists. */
export function cwdOf(host: Pick<HostFacts, 'cwd'>): string | undefined {
  try {
    return host.cwd();
  } catch {
    return undefined;
  }
}
