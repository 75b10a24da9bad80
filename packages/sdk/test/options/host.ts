import { type OptionProblem, OptionsError } from '../../src/errors/options.ts';
import type { HostFacts } from '../../src/options/environment.ts';
import { readLayer } from '../../src/options/option-layer.ts';
import { planQuery, type QueryPlan } from '../../src/options/plan.ts';
import type { Warning } from '../../src/warnings/warning.ts';

export const host: HostFacts = { platform: 'linux', getuid: () => 1000, env: {}, cwd: () => '/' };
export const rootHost: HostFacts = { platform: 'linux', getuid: () => 0, env: {}, cwd: () => '/' };

/** The plan of a query with these layers of options, the strongest first. */
export function planOf(prompt: unknown, layers: readonly unknown[], on: HostFacts): QueryPlan {
  return planQuery(
    prompt,
    layers.map((options) => readLayer(options)),
    on,
  );
}

/** The problems and warnings of a query with these arguments. */
export function checkQuery(
  prompt: unknown,
  options: unknown,
  on: HostFacts = host,
): { readonly problems: readonly OptionProblem[]; readonly warnings: readonly Warning[] } {
  try {
    return { problems: [], warnings: planOf(prompt, [options], on).warnings };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return { problems: error.problems, warnings: [] };
  }
}
