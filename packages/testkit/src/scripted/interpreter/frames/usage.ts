import { asJson, type JsonObject } from '../../../json.ts';
import { messageUsage, type TokenCounts, usageOfModel } from '../../../messages/usage.ts';

/** Tokens and money. */
export interface Usage extends TokenCounts {
  readonly costUsd: number;
}

export const noUsage: Usage = { inputTokens: 0, outputTokens: 0, thinkingTokens: 0, costUsd: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    thinkingTokens: a.thinkingTokens + b.thinkingTokens,
    costUsd: a.costUsd + b.costUsd,
  };
}

/** About four characters make a token. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The usage of a message that was cut off: the CLI itself ends the stream. */
export function cutUsage(inputTokens: number, outputTokens: number): JsonObject {
  return {
    ...asJson(messageUsage(inputTokens, outputTokens)),
    output_tokens_details: null,
    iterations: null,
    server_tool_use: null,
    fallback_credit: null,
  };
}

/** Usage by model. */
export function modelUsage(byModel: ReadonlyMap<string, Usage>): JsonObject {
  return Object.fromEntries([...byModel].map(([model, usage]) => [model, asJson(usageOfModel(model, usage))]));
}
