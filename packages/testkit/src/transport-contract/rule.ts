import type { ContractAgent } from './agent.ts';
import type { Stage } from './stage.ts';

/**
 * Abilities that some transports cannot be tested for: an agent that reads its arguments, variables, working directory and
 * files; one that ignores signals; one that does not read, so that writes must wait; one that reads many lines one by one
 * although they arrive together.
 */
export type ContractAbility = 'see-start' | 'ignore-signals' | 'full-input' | 'lines-at-once';

/** One rule: the steps of the agent, and the check. */
export interface Rule {
  readonly name: string;
  readonly needs?: ContractAbility;
  /** An agent, one that depends on the number of buffered bytes, or a failing start. */
  readonly agent: ContractAgent | ((holdsBytes: number) => ContractAgent) | 'failing';
  check(stage: Stage): Promise<void>;
}
