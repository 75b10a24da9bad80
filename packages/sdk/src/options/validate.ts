import type { OptionProblem } from '../errors/options.ts';
import type { Warning } from '../warnings/warning.ts';
import { unknownName } from './checks.ts';
import { environmentLayer, environmentVariables } from './environment.ts';
import type { AgentOptions, OptionName } from './groups.ts';
import type { HostFacts } from './host.ts';
import { lostGuards } from './lost-guards.ts';
import { officialHint } from './official-names.ts';
import { checkPairs, questionablePairs } from './pairs.ts';
import { layer } from './precedence.ts';
import { checkPrompt } from './prompt.ts';
import { kindOf, type Report, reasonOf } from './report.ts';
import { suggest } from './suggest.ts';
import { optionChecks } from './table.ts';

/** Options, looked at: usable only when `problems` is empty. */
export interface Judgement {
  readonly options: AgentOptions;
  readonly problems: readonly OptionProblem[];
  readonly warnings: readonly Warning[];
}

/** Everything that is wrong with the arguments of a query, and what is questionable. Never throws. */
export function checkQuery(
  prompt: unknown,
  options: unknown,
  host: HostFacts,
): { problems: readonly OptionProblem[]; warnings: readonly Warning[] } {
  const problems: OptionProblem[] = [];
  checkPrompt(prompt, (path, message) => problems.push({ path, message }));
  const judged = judge([options], host);
  return { problems: [...problems, ...judged.problems], warnings: judged.warnings };
}

/** Checks layers of options, the strongest first, and lays them over each other. Never throws. */
export function judge(layers: readonly unknown[], host: HostFacts): Judgement {
  const problems: OptionProblem[] = [];
  const report: Report = (path, message) => problems.push({ path, message });
  const bad = new Set<string>();
  const checked = layers.map((options) => checkLayer(options, bad, report));
  const environment = checkLayer(environmentLayer(host.env), bad, report, environmentVariables);
  // Every value in it has passed the check of its own option.
  const merged = layer(...checked, environment) as AgentOptions;
  checkPairs({ values: merged, bad }, host, report);
  const { warnings, dropped } = questionablePairs(merged);
  return { options: without(merged, dropped), problems, warnings: [...lostGuards(checked), ...warnings] };
}

/** The good options of one layer, copied; `bad` gets the names of the others, `labels` says what problems call them. */
function checkLayer(
  options: unknown,
  bad: Set<string>,
  report: Report,
  labels: ReadonlyMap<string, string> = new Map(),
): Record<string, unknown> {
  const checked: Record<string, unknown> = {};
  for (const [name, read] of fieldsOf(options, report)) {
    const label = labels.get(name) ?? name;
    try {
      const value = read();
      if (value === undefined) continue;
      if (!isOptionName(name)) {
        const known = Object.keys(optionChecks);
        report(label.slice(0, 80), officialHint(name) ?? unknownName('option', suggest(name, known), known));
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
    if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
      return Object.keys(options).map((name) => [name, () => Reflect.get(options, name)]);
    }
    report('options', `must be an object, not ${kindOf(options)}.`);
  } catch (error) {
    report('options', `could not be read: ${reasonOf(error)}`);
  }
  return [];
}

function isOptionName(name: string): name is OptionName {
  return Object.hasOwn(optionChecks, name);
}

function without(options: AgentOptions, dropped: readonly OptionName[]): AgentOptions {
  if (dropped.length === 0) return options;
  const kept = { ...options };
  for (const name of dropped) delete kept[name];
  return kept;
}
