import { type OptionProblem, OptionsError } from '../../src/errors/options.ts';
import type { HostFacts } from '../../src/options/environment.ts';
import { planQuery } from '../../src/options/plan.ts';
import type { Warning } from '../../src/warnings/warning.ts';

export const host: HostFacts = { platform: 'linux', getuid: () => 1000, env: {} };
export const rootHost: HostFacts = { platform: 'linux', getuid: () => 0, env: {} };

/** The problems and warnings of a query with these arguments. */
export function checkQuery(
  prompt: unknown,
  options: unknown,
  on: HostFacts = host,
): { readonly problems: readonly OptionProblem[]; readonly warnings: readonly Warning[] } {
  try {
    return { problems: [], warnings: planQuery(prompt, [options], on).warnings };
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    return { problems: error.problems, warnings: [] };
  }
}
