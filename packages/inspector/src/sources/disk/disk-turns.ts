import type { CostInfo, Tokens } from '../../api.ts';
import { addByModel, addCost, NO_COST, tokensIn } from '../../conversations/cost.ts';
import { fieldsOf, textIn } from '../../transcript/fields.ts';

/** A turn in a transcript. */
export interface DiskTurn {
  readonly startedAt: number;
  /** The time of its last message. */
  readonly endedAt: number;
  readonly cost: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  /** The ids of its answers: a copy of a conversation repeats them. */
  readonly answers: readonly string[];
  readonly failed: boolean;
}

interface OpenTurn {
  readonly startedAt: number;
  endedAt: number;
  /** If the API failed: the id of the message that the CLI wrote instead. */
  failure: string | null;
  /** By API message: several lines belong to one, and the last has the final count. */
  readonly answers: Map<string, { readonly model: string; readonly tokens: Tokens }>;
}

/** The turns in a transcript, with tokens and times. A transcript has no prices. */
export async function turnsIn(lines: AsyncIterable<string>): Promise<DiskTurn[]> {
  const turns: OpenTurn[] = [];
  for await (const line of lines) take(line, turns);
  return turns.map(closed);
}

function take(line: string, turns: OpenTurn[]): void {
  // Tool results are long and not needed here. In quoted text, the quotes would be escaped.
  if (line.includes('"type":"tool_result"') || !/"type":"(?:user|assistant)"/.test(line)) return;
  let fields: Readonly<Record<string, unknown>>;
  try {
    fields = fieldsOf(JSON.parse(line));
  } catch {
    return; // The last line may be incomplete.
  }
  const at = Date.parse(textIn(fields, 'timestamp') ?? '');
  if (Number.isNaN(at)) return;
  if (fields.type === 'user') {
    const isPrompt = fields.isMeta !== true && fields.isSidechain !== true && fields.isCompactSummary !== true;
    if (isPrompt) turns.push({ startedAt: at, endedAt: at, failure: null, answers: new Map() });
    return;
  }
  const api = fieldsOf(fields.message);
  const [id, model] = [textIn(api, 'id'), textIn(api, 'model')];
  const turn = turns.at(-1);
  if (!turn || fields.type !== 'assistant' || id === null || model === null) return;
  turn.failure = fields.isApiErrorMessage === true ? id : null;
  if (model === '<synthetic>') return;
  turn.endedAt = Math.max(turn.endedAt, at);
  turn.answers.set(id, { model, tokens: tokensIn(fieldsOf(api.usage)) });
}

function closed({ startedAt, endedAt, failure, answers }: OpenTurn): DiskTurn {
  const byModel: Record<string, CostInfo> = {};
  let cost = NO_COST;
  for (const { model, tokens } of answers.values()) {
    const unpriced = { usd: 0, tokens, complete: false };
    cost = addCost(cost, unpriced);
    addByModel(byModel, { [model]: unpriced });
  }
  const ids = failure === null ? [...answers.keys()] : [...answers.keys(), failure];
  return { startedAt, endedAt, cost, byModel, answers: ids, failed: failure !== null };
}
