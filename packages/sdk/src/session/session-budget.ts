import type { CostAccount } from '../conversation/cost-ledger.ts';
import { budgetResult, remainderOf } from '../messages/budget.ts';
import type { FailureResult } from '../wire/result.ts';

/**
 * The budget of a session. The CLI counts from the start of its process, or from the last `/clear`; the session over all its processes
 * and conversations.
 */
export class SessionBudget {
  readonly #limitUsd: number | undefined;
  readonly #account: CostAccount;
  #spentAtStart = 0;
  /** The CLI may spend more than what is left. */
  #outdated = false;

  constructor(limitUsd: number | undefined, account: CostAccount) {
    this.#limitUsd = limitUsd;
    this.#account = account;
  }

  /** `undefined` without a budget. */
  get leftUsd(): number | undefined {
    return remainderOf(this.#limitUsd, this.#spentUsd);
  }

  get spent(): boolean {
    return this.leftUsd === 0;
  }

  /** True when the CLI has to be replaced before it gets another prompt. */
  get outdated(): boolean {
    return this.#outdated;
  }

  /** A CLI is started with the rest of the budget. */
  opened(): void {
    this.#spentAtStart = this.#spentUsd;
    this.#outdated = false;
  }

  /** The CLI has started another conversation, and counts from 0 again. */
  conversationChanged(): void {
    if (this.#limitUsd !== undefined && this.#spentUsd > this.#spentAtStart) this.#outdated = true;
  }

  /** The result of a turn that is not sent because nothing is left. */
  resultOf(turn: string, sessionId: string, uuid: string): FailureResult {
    return budgetResult({ budgetUsd: this.#limitUsd ?? 0, totalCostUsd: this.#spentUsd, sessionId, turn, uuid });
  }

  get #spentUsd(): number {
    return this.#account.total.costUsd;
  }
}
