import { describe, expect, it } from 'vitest';
import { costOfResult, NOTHING_READ, readingOf, spent } from '../../src/messages/cost.ts';
import { recordings, resultOf, resultsOf } from './recordings.ts';
import { result } from './samples.ts';

describe('costOfResult', () => {
  it('[M-4] is the growth of the total since the previous turn', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.325');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    expect(second.total_cost_usd).toBeGreaterThan(first.total_cost_usd);
    expect(costOfResult(first).costUsd).toBe(first.total_cost_usd);
    expect(costOfResult(second, first).costUsd).toBeCloseTo(first.total_cost_usd, 12);
  });

  it('[M-4] is the total itself when the total fell', () => {
    const { costUsd } = costOfResult(result({ total_cost_usd: 0.01 }), result({ total_cost_usd: 0.5 }));
    expect(costUsd).toBe(0.01);
  });

  it('[M-4] is 0 for a turn that cost nothing', () => {
    const spent = costOfResult(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: 0.5 }));
    expect(spent).toMatchObject({ costUsd: 0, complete: true });
  });

  it('[M-4] is incomplete when the result names no cost', () => {
    expect(costOfResult(result({}))).toMatchObject({ costUsd: 0, complete: false });
    const odd = costOfResult(result({ total_cost_usd: '1' }), result({ total_cost_usd: 1 }));
    expect(odd).toMatchObject({ costUsd: 0, complete: false });
  });

  it('[M-4] counts from 0 when the previous result names no cost', () => {
    expect(costOfResult(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: null })).costUsd).toBe(0.5);
  });

  it('[M-4] reads the tokens since the previous result from releases that state them', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.325');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    const usage = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheCreationTokens: 0 };
    const [model] = Object.keys(first.modelUsage);
    expect(model).toBeDefined();
    expect(costOfResult(first)).toMatchObject({ usage, byModel: { [`${model}`]: usage } });
    expect(costOfResult(second)).toEqual(costOfResult(first));
    expect(costOfResult(second, first)).toEqual(costOfResult(first));
  });

  it('[M-4] subtracts the totals of the previous result for releases that state only totals', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.197');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    expect(first).not.toHaveProperty('model_usage_since_last_result');
    expect(costOfResult(second).usage.inputTokens).toBe(2 * costOfResult(first).usage.inputTokens);
    expect(costOfResult(second, first).usage).toEqual(costOfResult(first).usage);
  });

  it('[M-4] agrees with the sum over the models in every recorded result that lists models', () => {
    for (const recorded of recordings.flatMap(resultsOf)) {
      const { usage, byModel } = costOfResult(recorded);
      const models = Object.values(byModel);
      if (models.length === 0) continue;
      for (const [name, tokens] of Object.entries(usage)) {
        expect(tokens).toBe(models.reduce((sum, model) => sum + model[name as keyof typeof model], 0));
      }
    }
  });

  it('[M-4] counts nothing for a result of an API failure', () => {
    expect(costOfResult(resultOf('A-err-400.325')).usage).toMatchObject({ inputTokens: 0, outputTokens: 0 });
  });

  it('[M-4] falls back to the tokens of the main conversation when the result states no cost', () => {
    const usage = { input_tokens: 3, output_tokens: 4, cache_read_input_tokens: 5, cache_creation_input_tokens: 6 };
    const tokens = { inputTokens: 3, outputTokens: 4, cacheReadTokens: 5, cacheCreationTokens: 6 };
    expect(costOfResult(result({ usage }))).toMatchObject({ usage: tokens, byModel: {} });
  });

  it('[M-4] reads missing and odd token counts as 0', () => {
    const modelUsage = { odd: { inputTokens: '7', outputTokens: 2 }, none: null };
    expect(costOfResult(result({ total_cost_usd: 1, modelUsage }))).toMatchObject({
      usage: { inputTokens: 0, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 },
      byModel: {
        odd: { inputTokens: 0, outputTokens: 2, cacheReadTokens: 0, cacheCreationTokens: 0 },
        none: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheCreationTokens: 0 },
      },
    });
  });
});

describe('a negative amount', () => {
  const usage = (more: object): object => ({ inputTokens: 5, outputTokens: 1, costUSD: 0.1, ...more });

  it('[M-4] as the total is no cost', () => {
    expect(costOfResult(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: -0.5 })).costUsd).toBe(0.5);
    expect(spent(result({ total_cost_usd: -0.5 }), NOTHING_READ)).toMatchObject({ costUsd: 0, complete: false });
  });

  it('[M-4, M-8] of one model counts as nothing, and the cost as incomplete', () => {
    const stated = { a: usage({}), b: usage({ costUSD: -3, inputTokens: -5 }) };
    expect(spent(result({ total_cost_usd: 1, model_usage_since_last_result: stated }), NOTHING_READ)).toMatchObject({
      costUsd: 0.1,
      usage: { inputTokens: 5 },
      complete: false,
    });
  });

  it('[M-4, M-8] is not what is left of a model whose cost has fallen while the total has grown', () => {
    const before = readingOf(result({ total_cost_usd: 1, modelUsage: { a: usage({ costUSD: 0.5 }), b: usage({}) } }));
    const later = { a: usage({ costUSD: 0.4 }), b: usage({ costUSD: 0.6 }) };
    const { costUsd, byModel } = spent(result({ total_cost_usd: 1.4, modelUsage: later }), before);
    expect(costUsd).toBeCloseTo(0.4, 12);
    expect(Object.values(byModel).map((model) => model.costUsd)).toEqual([0.5]);
  });
});
