import { describe, expect, it } from 'vitest';
import { costOf, NOTHING_READ, readingOf, spent, usageOf } from '../../src/messages/cost.ts';
import { recordings, resultOf, resultsOf } from './recordings.ts';
import { result } from './samples.ts';

describe('costOf', () => {
  it('[M-4] is the growth of the total since the previous turn', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.325');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    expect(second.total_cost_usd).toBeGreaterThan(first.total_cost_usd);
    expect(costOf(first)).toBe(first.total_cost_usd);
    expect(costOf(second, first)).toBeCloseTo(first.total_cost_usd, 12);
  });

  it('[M-4] is the total itself if the total decreased', () => {
    expect(costOf(result({ total_cost_usd: 0.01 }), result({ total_cost_usd: 0.5 }))).toBe(0.01);
  });

  it('[M-4] is 0 for a turn that cost nothing', () => {
    expect(costOf(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: 0.5 }))).toBe(0);
  });

  it('[M-4] is undefined if the result has no cost', () => {
    expect(costOf(result({}))).toBeUndefined();
    expect(costOf(result({ total_cost_usd: '1' }), result({ total_cost_usd: 1 }))).toBeUndefined();
  });

  it('[M-4] counts from 0 if the previous result has no cost', () => {
    expect(costOf(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: null }))).toBe(0.5);
  });
});

describe('usageOf', () => {
  it('[M-4] reads the tokens since the previous result if the release reports them', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.325');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    const tokens = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0 };
    const [model] = Object.keys(first.modelUsage);
    expect(model).toBeDefined();
    expect(usageOf(first)).toEqual({ ...tokens, byModel: { [`${model}`]: tokens } });
    expect(usageOf(second)).toEqual(usageOf(first));
    expect(usageOf(second, first)).toEqual(usageOf(first));
  });

  it('[M-4] subtracts the totals of the previous result if the release reports only totals', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.197');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    expect(first).not.toHaveProperty('model_usage_since_last_result');
    expect(usageOf(second).inputTokens).toBe(2 * usageOf(first).inputTokens);
    expect(usageOf(second, first)).toEqual(usageOf(first));
  });

  it('[M-4] agrees with the sum over the models in every recorded result that lists models', () => {
    for (const recorded of recordings.flatMap(resultsOf)) {
      const { byModel, ...total } = usageOf(recorded);
      const models = Object.values(byModel);
      if (models.length === 0) continue;
      for (const [name, tokens] of Object.entries(total)) {
        expect(tokens).toBe(models.reduce((sum, model) => sum + model[name as keyof typeof model], 0));
      }
    }
  });

  it('[M-4] is zero for a result of an API failure', () => {
    expect(usageOf(resultOf('A-err-400.325'))).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('[M-4] falls back to the tokens of the main conversation if the result lists no models', () => {
    const usage = { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5, cache_creation_input_tokens: 6 };
    const tokens = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheCreationTokens: 6 };
    expect(usageOf(result({ usage, total_cost_usd: 1 }))).toEqual({ ...tokens, byModel: {} });
    expect(usageOf(result({ usage }))).toEqual({ ...tokens, byModel: {} });
  });

  it('[M-4] treats missing and invalid token counts as 0', () => {
    const modelUsage = { odd: { inputTokens: '7', outputTokens: 2 }, none: null };
    expect(usageOf(result({ total_cost_usd: 1, modelUsage }))).toEqual({
      ...{ inputTokens: 0, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 },
      byModel: {
        odd: { inputTokens: 0, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 },
        none: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
      },
    });
  });
});

describe('a negative amount', () => {
  const usage = (more: object): object => ({ inputTokens: 5, outputTokens: 1, costUSD: 0.1, ...more });

  it('[M-4] as the total is ignored', () => {
    expect(costOf(result({ total_cost_usd: -0.5 }))).toBeUndefined();
    expect(costOf(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: -0.5 }))).toBe(0.5);
    expect(spent(result({ total_cost_usd: -0.5 }), NOTHING_READ)).toMatchObject({ costUsd: 0, complete: false });
  });

  it('[M-4, M-8] of one model counts as zero and makes the cost incomplete', () => {
    const stated = { a: usage({}), b: usage({ costUSD: -3, inputTokens: -5 }) };
    expect(spent(result({ total_cost_usd: 1, model_usage_since_last_result: stated }), NOTHING_READ)).toMatchObject({
      costUsd: 0.1,
      usage: { inputTokens: 5 },
      complete: false,
    });
  });

  it('[M-4, M-8] is not the result if the cost of one model decreased while the total increased', () => {
    const before = readingOf(result({ total_cost_usd: 1, modelUsage: { a: usage({ costUSD: 0.5 }), b: usage({}) } }));
    const later = { a: usage({ costUSD: 0.4 }), b: usage({ costUSD: 0.6 }) };
    const { costUsd, byModel } = spent(result({ total_cost_usd: 1.4, modelUsage: later }), before);
    expect(costUsd).toBeCloseTo(0.4, 12);
    expect(Object.values(byModel).map((model) => model.costUsd)).toEqual([0.5]);
  });
});
