import type { ContractAgent } from './agent.ts';
import type { Stage } from './stage.ts';

/**
 * Capabilities that some transports cannot be tested for: an agent that sees its arguments, variables, working directory
 * and files; one that ignores signals; one that does not read, so that writes have to wait; one that reads many lines one
 * by one although they arrive at once.
 */
export type ContractAbility = 'see-start' | 'ignore-signals' | 'full-input' | 'lines-at-once';

/** One rule: what the agent does, and what is checked. */
export interface Rule {
  readonly name: string;
  readonly needs?: ContractAbility;
  /** An agent, one that depends on how many bytes the transport may buffer, or a start that fails. */
  readonly agent: ContractAgent | ((holdsBytes: number) => ContractAgent) | 'failing';
  check(stage: Stage): Promise<void>;
}
