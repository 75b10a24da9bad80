import { OptionsError } from '../errors/options.ts';
import { planSession } from '../launch/plan.ts';
import type { AgentOptions } from '../options/groups.ts';

/** Checks what all sessions of a pool have in common: with it wrong, no job could ever run. @throws OptionsError */
export function checkDefaults(layers: readonly AgentOptions[]): void {
  try {
    planSession(layers);
  } catch (error) {
    if (!(error instanceof OptionsError)) throw error;
    throw new OptionsError(error.problems.map(({ path, message }) => ({ path: `defaults.${path}`, message })));
  }
}
