import type { CostInfo } from '../api.ts';
import { addByName, scaled, tokensIn } from '../conversations/cost.ts';
import { bounded } from '../transcript/bounded.ts';
import { fieldsOf, listIn, textIn } from '../transcript/fields.ts';
import { weightOf } from './prices.ts';

/** The name for answers that call no tool: text and thinking. */
const NO_TOOL = 'no tool';

/** An answer of the API. Several messages may belong to one; the last has the final usage. */
interface Answer {
  readonly weight: number;
  readonly calls: readonly string[];
}

/**
 * Splits a cost among the tools that its answers call. An answer that calls several tools is split evenly among the calls;
 * the sum is always the cost.
 */
export class ToolShares {
  readonly #answers = new Map<string, Answer>();

  /** Notes an assistant message; others are ignored. */
  note(message: object): void {
    const fields = fieldsOf(message);
    const api = fieldsOf(fields.message);
    const [id, model] = [textIn(api, 'id'), textIn(api, 'model')];
    if (fields.type !== 'assistant' || id === null || model === null || model === '<synthetic>') return;
    const blocks = listIn(api, 'content').map(fieldsOf);
    const calls = blocks.flatMap((block) =>
      /tool_use$/.test(String(block.type)) ? (textIn(block, 'name') ?? []) : [],
    );
    const before = this.#answers.get(id)?.calls ?? [];
    const weight = weightOf(model, tokensIn(fieldsOf(api.usage)));
    bounded(this.#answers, LIMIT).set(id, { weight, calls: [...before, ...calls].slice(0, LIMIT) });
  }

  /** Splits a cost among the answers noted so far, and forgets them; empty if there were none. */
  take(cost: CostInfo): Record<string, CostInfo> {
    const answers = [...this.#answers.values()];
    this.#answers.clear();
    const all = answers.reduce((sum, { weight }) => sum + weight, 0);
    const byTool: Record<string, CostInfo> = {};
    if (all === 0) return byTool;
    for (const { weight, calls } of answers) {
      const names = calls.length === 0 ? [NO_TOOL] : calls;
      for (const name of names) addByName(byTool, { [name]: scaled(cost, weight / all / names.length) });
    }
    return byTool;
  }
}

/** Number of answers between two costs, and of calls in one. */
const LIMIT = 5_000;
