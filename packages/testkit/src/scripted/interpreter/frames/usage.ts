import type { JsonObject } from '../../script-data.ts';

/** Tokens and cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
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

/** Estimates tokens: about four characters each. */
export function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The usage in an assistant message: the counts at the start of the message. */
export function messageUsage(inputTokens: number, outputTokens = 1): JsonObject {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

/** The usage of a message that was cut off; the CLI itself ends its stream. */
export function cutUsage(inputTokens: number, outputTokens: number): JsonObject {
  return {
    ...messageUsage(inputTokens, outputTokens),
    output_tokens_details: null,
    iterations: null,
    server_tool_use: null,
    fallback_credit: null,
  };
}

/** The usage in a result. */
export function resultUsage(usage: Usage): JsonObject {
  return {
    input_tokens: usage.inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: usage.outputTokens,
    output_tokens_details: { thinking_tokens: usage.thinkingTokens },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

/** The usage of a message that the CLI generated. */
export const syntheticUsage: JsonObject = {
  ...resultUsage(noUsage),
  output_tokens_details: null,
  service_tier: null,
  inference_geo: null,
  iterations: null,
  speed: null,
};

/** Usage by model. */
export function modelUsage(byModel: ReadonlyMap<string, Usage>): JsonObject {
  return Object.fromEntries([...byModel].map(([model, usage]) => [model, oneModel(model, usage)]));
}

function oneModel(model: string, usage: Usage): JsonObject {
  return {
    inputTokens: usage.inputTokens,
    outputTokens: usage.outputTokens,
    cacheReadInputTokens: 0,
    cacheCreationInputTokens: 0,
    webSearchRequests: 0,
    costUSD: usage.costUsd,
    contextWindow: 1_000_000,
    maxOutputTokens: 128_000,
    thinkingTokens: usage.thinkingTokens,
    cacheCreationEphemeral5mInputTokens: 0,
    cacheCreationEphemeral1hInputTokens: 0,
    canonicalModel: model,
    provider: 'firstParty',
    costBasis: 'list',
  };
}
