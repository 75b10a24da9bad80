import type { CostInfo, Tokens } from '../../api.ts';
import { addByName, addCost, NO_COST, tokensIn } from '../../conversations/cost.ts';
import { estimated } from '../../stats/prices.ts';
import { ToolShares } from '../../stats/tool-shares.ts';
import { fieldsOf, textIn } from '../../transcript/fields.ts';

/** A turn in a transcript. */
export interface DiskTurn {
  readonly startedAt: number;
  /** The time of its last message. */
  readonly endedAt: number;
  readonly cost: CostInfo;
  readonly byModel: Readonly<Record<string, CostInfo>>;
  readonly byTool: Readonly<Record<string, CostInfo>>;
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
  readonly shares: ToolShares;
}

/**
 * The turns in a transcript, with the answers of its subagents, and without those in `left`. Their costs are estimates: a transcript has
 * no prices.
 */
export async function turnsIn(
  lines: AsyncIterable<string>,
  subagents: readonly object[] = [],
  left: ReadonlySet<string> = new Set(),
): Promise<DiskTurn[]> {
  const turns: OpenTurn[] = [];
  for await (const line of lines) take(line, turns, left);
  for (const message of subagents) {
    const fields = fieldsOf(message);
    const at = Date.parse(textIn(fields, 'timestamp') ?? '');
    const turn = turns.findLast(({ startedAt }) => startedAt <= at);
    if (turn) takeAnswer(fields, turn, left);
  }
  return turns.map(closed);
}

function take(line: string, turns: OpenTurn[], left: ReadonlySet<string>): void {
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
    if (isPrompt)
      turns.push({ startedAt: at, endedAt: at, failure: null, answers: new Map(), shares: new ToolShares() });
    return;
  }
  const turn = turns.at(-1);
  if (!turn || fields.type !== 'assistant') return;
  const id = takeAnswer(fields, turn, left);
  if (id !== null) turn.failure = fields.isApiErrorMessage === true ? id : null;
  if (id !== null && turn.answers.has(id)) turn.endedAt = Math.max(turn.endedAt, at);
}

/** Notes an answer of the API; returns its id, also if the CLI itself wrote it. */
function takeAnswer(
  fields: Readonly<Record<string, unknown>>,
  { answers, shares }: OpenTurn,
  left: ReadonlySet<string>,
): string | null {
  const api = fieldsOf(fields.message);
  const [id, model] = [textIn(api, 'id'), textIn(api, 'model')];
  if (id === null || model === null) return null;
  if (model === '<synthetic>' || left.has(id)) return id;
  answers.set(id, { model, tokens: tokensIn(fieldsOf(api.usage)) });
  shares.note(fields);
  return id;
}

function closed({ startedAt, endedAt, failure, answers, shares }: OpenTurn): DiskTurn {
  const byModel: Record<string, CostInfo> = {};
  let cost = NO_COST;
  for (const { model, tokens } of answers.values()) {
    const spent = estimated(model, tokens);
    cost = addCost(cost, spent);
    addByName(byModel, { [model]: spent });
  }
  const ids = failure === null ? [...answers.keys()] : [...answers.keys(), failure];
  return { startedAt, endedAt, cost, byModel, byTool: shares.take(cost), answers: ids, failed: failure !== null };
}
