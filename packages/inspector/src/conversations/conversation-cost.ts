import type { Message } from 'coxswain';
import type { CostInfo } from '../api.ts';
import { estimated } from '../stats/prices.ts';
import { fieldsOf, textIn } from '../transcript/fields.ts';
import { addByName, addCost, listedName, NO_COST, tokensIn } from './cost.ts';

/** The cost of a conversation so far. */
export class ConversationCost {
  #total: CostInfo = NO_COST;
  readonly #byModel: Record<string, CostInfo> = {};
  /** The API message whose tokens were added last: several CLI messages share one. */
  #lastCounted: { readonly id: string; readonly total: CostInfo; readonly ofModel: CostInfo } | undefined;

  /** The cost of a transcript that has not been read into its conversation. */
  unread: CostInfo = NO_COST;

  /** The cost in lists. */
  get shown(): CostInfo {
    return this.#total === NO_COST ? this.unread : this.#total;
  }

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
    addByName(this.#byModel, costs);
  }

  /** Adds the tokens of a message from a transcript at list prices: a transcript has none. */
  addTokensOf(message: Message): void {
    const api = fieldsOf(fieldsOf(message).message);
    const [id, model] = [textIn(api, 'id'), textIn(api, 'model') ?? 'unknown'];
    if (message.type !== 'assistant' || id === null || model === '<synthetic>') return;
    const isSame = this.#lastCounted?.id === id;
    const name = listedName(this.#byModel, model);
    const ofModel = Object.hasOwn(this.#byModel, name) ? this.#byModel[name] : undefined;
    const before = isSame ? this.#lastCounted : { id, total: this.#total, ofModel: ofModel ?? NO_COST };
    if (before === undefined) return;
    const cost = estimated(model, tokensIn(fieldsOf(api.usage)));
    this.#lastCounted = before;
    this.#total = addCost(before.total, cost);
    this.#byModel[name] = addCost(before.ofModel, cost);
  }

  /** Sets the cost to the total of the source. */
  setUsd(usd: number): void {
    this.#total = { ...this.#total, usd };
  }

  /** Resets the total, so that the transcript can be counted again from the beginning. */
  clearTotal(): void {
    this.#total = NO_COST;
    for (const model of Object.keys(this.#byModel)) delete this.#byModel[model];
    this.#lastCounted = undefined;
  }
}
