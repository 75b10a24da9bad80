import type { Message } from 'coxswain';
import type { CostInfo } from '../api.ts';
import { fieldsOf, textIn } from '../transcript/fields.ts';
import { addByModel, addCost, NO_COST, tokensIn } from './cost.ts';

/** What a conversation has cost so far. */
export class ConversationCost {
  #total: CostInfo = NO_COST;
  readonly #byModel: Record<string, CostInfo> = {};
  /** The API message whose tokens were added last: several messages of the CLI share one. */
  #lastCounted: { readonly id: string; readonly before: CostInfo } | undefined;

  get total(): CostInfo {
    return this.#total;
  }

  get byModel(): Readonly<Record<string, CostInfo>> {
    return this.#byModel;
  }

  add(cost: CostInfo): void {
    this.#total = addCost(this.#total, cost);
  }

  addByModel(costs: Readonly<Record<string, CostInfo>>): void {
    addByModel(this.#byModel, costs);
  }

  /** Adds the tokens of a message from a transcript, which says nothing about dollars. */
  addTokensOf(message: Message): void {
    const api = fieldsOf(fieldsOf(message).message);
    const id = textIn(api, 'id');
    if (message.type !== 'assistant' || id === null) return;
    const before = this.#lastCounted?.id === id ? this.#lastCounted.before : this.#total;
    this.#lastCounted = { id, before };
    this.#total = addCost(before, { usd: 0, tokens: tokensIn(fieldsOf(api.usage)), complete: false });
  }

  setUsd(usd: number): void {
    this.#total = { ...this.#total, usd };
  }

  /** The transcript is counted again from its beginning. */
  clearTotal(): void {
    this.#total = NO_COST;
    this.#lastCounted = undefined;
  }
}
