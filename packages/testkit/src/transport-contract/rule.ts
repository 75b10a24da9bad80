import type { ContractAgent } from './agent.ts';
import type { ContractAbility } from './contract.ts';
import type { Stage } from './stage.ts';

/** One rule: what the agent does, and what is checked. */
export interface Rule {
  readonly name: string;
  readonly needs?: ContractAbility;
  /** An agent, one that depends on how many bytes the transport may buffer, or a start that fails. */
  readonly agent: ContractAgent | ((holdsBytes: number) => ContractAgent) | 'failing';
  check(stage: Stage): Promise<void>;
}
