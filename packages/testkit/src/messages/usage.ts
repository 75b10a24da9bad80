import type { ModelUsage, Usage } from 'coxswain';
import { MODEL } from './envelope.ts';

/** The usage in an assistant message: the counts at the start of the message. */
export const messageUsage: Usage = {
  input_tokens: 10,
  output_tokens: 1,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
};

/** The usage in a result. */
export function resultUsage(inputTokens: number, outputTokens: number): Usage {
  return {
    input_tokens: inputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: 'standard',
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: '',
    iterations: [],
    speed: 'standard',
    fallback_credit: null,
  };
}

/** The usage of a message that the CLI wrote itself. */
export const syntheticUsage: Usage = {
  ...resultUsage(0, 0),
  output_tokens_details: null,
  service_tier: null,
  inference_geo: null,
  iterations: null,
  speed: null,
};

/** The usage by model in a result. */
export function modelUsage(costUsd: number): Readonly<Record<string, ModelUsage>> {
  return {
    [MODEL]: {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD: costUsd,
      contextWindow: 1_000_000,
      maxOutputTokens: 128_000,
      thinkingTokens: 0,
      cacheCreationEphemeral5mInputTokens: 0,
      cacheCreationEphemeral1hInputTokens: 0,
      canonicalModel: MODEL,
      provider: 'firstParty',
      costBasis: 'list',
    },
  };
}
