import type { ModelUsage, Usage } from 'coxswain/types';
import { MODEL } from './envelope.ts';

/** Tokens of a turn, by what they were used for. */
export interface TokenCounts {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly thinkingTokens: number;
}

/** The usage an assistant message carries: what the API knew when the message began. */
export function messageUsage(inputTokens: number, outputTokens = 1): Usage {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
  };
}

/** The usage a result carries. */
export function resultUsage({ inputTokens, outputTokens, thinkingTokens }: TokenCounts): Usage {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: thinkingTokens },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

/** The usage of a result whose turn used no tokens. */
export const unusedUsage: Usage = resultUsage({ inputTokens: 0, outputTokens: 0, thinkingTokens: 0 });

/** The usage of a message that the CLI wrote itself. */
export const syntheticUsage: Usage = {
  ...unusedUsage,
  output_tokens_details: null,
  service_tier: null,
  inference_geo: null,
  iterations: null,
  speed: null,
};

/** What one model was used for, as a result carries it. */
export function usageOfModel(model: string, usage: TokenCounts & { readonly costUsd: number }): ModelUsage {
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

/** The tokens of every made-up result unless overridden. */
export const USUAL_TOKENS: TokenCounts = { inputTokens: 10, outputTokens: 5, thinkingTokens: 0 };

/** Usage by model, as a made-up result carries it. */
export function modelUsage(costUsd: number): Readonly<Record<string, ModelUsage>> {
  return { [MODEL]: usageOfModel(MODEL, { ...USUAL_TOKENS, costUsd }) };
}
