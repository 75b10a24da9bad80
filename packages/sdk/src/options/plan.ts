import { reasonOf } from '../errors/base.ts';
import { checking, type Report } from '../errors/options.ts';
import { defaultLimits, defaultSessionLimits, type Limits } from '../limits.ts';
import { unknownName } from '../suggest.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/content.ts';
import { isJsonObject } from '../wire/kinds.ts';
import { kindOf } from './checks.ts';
import { checkConflicts, ignoredOptions } from './conflicts.ts';
import {
  type EnvironmentVariable,
  environmentLayer,
  environmentTable,
  type HostFacts,
  RunEnvironment,
} from './environment.ts';
import { layer, lostGuards, RESTART_MISPLACED } from './layers.ts';
import { officialHint } from './names.ts';
import type { AgentOptions, OptionName } from './option-types.ts';
import { optionChecks } from './table.ts';
import { checkPrompt } from './turn.ts';

/** Everything a run needs, resolved before anything is started. */
export interface RunPlan<T = unknown> {
  /** Checked, copied and merged from their layers. */
  readonly options: AgentOptions<T>;
  /** Those of the options, with the defaults filled in. */
  readonly limits: Limits;
  readonly environment: RunEnvironment;
  readonly warnings: readonly Warning[];
}

/** The plan of a query. */
export interface QueryPlan<T = unknown> extends RunPlan<T> {
  readonly prompt: UserContent;
}

/**
 * Plans a query from layers of options, the strongest first: the call's, then the client's. The environment and the
 * defaults lie below them.
 * @throws OptionsError
 */
export function planQuery<T = unknown>(prompt: unknown, layers: readonly unknown[], host: HostFacts): QueryPlan<T> {
  return checking((report) => {
    const content = checkPrompt(prompt, report) ?? '';
    return { prompt: content, ...planned<T>(layers, host, defaultLimits, report) };
  });
}

/** Plans a session. @throws OptionsError */
export function planSession(layers: readonly unknown[], host: HostFacts): RunPlan {
  return checking((report) => planned(layers, host, defaultSessionLimits, report));
}

/** Replaces the plan of invalid options: such a run only reports their error. */
export const NO_PLAN: QueryPlan<never> = {
  prompt: '',
  options: {},
  limits: defaultLimits,
  environment: new RunEnvironment({}, { platform: '', env: {} }),
  warnings: [],
};

/** Checks the layers and merges them. */
function planned<T>(layers: readonly unknown[], host: HostFacts, defaults: Limits, report: Report): RunPlan<T> {
  const bad = new Set<string>();
  const checked = layers.map((options) => checkLayer(options, bad, report));
  const variables = checkLayer(environmentLayer(host.env), bad, report, environmentTable);
  // Every value has passed the check of its option, and the caller's signature ties T to the outputSchema among the layers.
  const options = layer(...checked, variables) as AgentOptions<T>;
  checkConflicts(options, bad, host, report);
  const { warnings, ignored } = ignoredOptions(options);
  for (const name of ignored) Reflect.deleteProperty(options, name);
  return {
    options,
    // The check has removed undefined limits.
    limits: { ...defaults, ...(options.limits as Partial<Limits> | undefined) },
    environment: new RunEnvironment(options, host),
    warnings: [...lostGuards(checked), ...warnings],
  };
}

/** The good options of one layer, copied; `bad` receives the names of the others. Problems name the `variables` instead. */
function checkLayer(
  options: unknown,
  bad: Set<string>,
  report: Report,
  variables: readonly EnvironmentVariable[] = [],
): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, read] of fieldsOf(options, report)) {
    const label = variables.find(({ option }) => option === name)?.name ?? name;
    try {
      const value = read();
      if (value === undefined) continue;
      if (!isOptionName(name)) {
        report(label.slice(0, 80), notAnOption(name));
        continue;
      }
      const good = optionChecks[name](value, label, report);
      if (good === undefined) bad.add(name);
      else checked[name] = good;
    } catch (error) {
      bad.add(name);
      report(label, `could not be read: ${reasonOf(error)}`);
    }
  }
  return checked;
}

function fieldsOf(options: unknown, report: Report): [name: string, read: () => unknown][] {
  if (options === undefined) return [];
  try {
    if (isJsonObject(options)) return Object.keys(options).map((name) => [name, () => options[name]]);
    report('options', `must be an object, not ${kindOf(options)}.`);
  } catch (error) {
    report('options', `could not be read: ${reasonOf(error)}`);
  }
  return [];
}

function notAnOption(name: string): string {
  if (name === 'restart') return RESTART_MISPLACED;
  return officialHint(name) ?? unknownName('option', name, Object.keys(optionChecks));
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionChecks, name);
}
