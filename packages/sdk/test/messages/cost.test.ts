import { describe, expect, it } from 'vitest';
import { costOf } from '../../src/messages/cost.ts';
import { resultsOf } from './recordings.ts';
import { result } from './samples.ts';

describe('costOf', () => {
  it('[M-4] is the growth of the total since the turn before', () => {
    const [first, second] = resultsOf('B-basic-initialize-two-turns.325');
    if (first === undefined || second === undefined) throw new Error('two results expected');
    expect(second.total_cost_usd).toBeGreaterThan(first.total_cost_usd);
    expect(costOf(first)).toBe(first.total_cost_usd);
    expect(costOf(second, first)).toBeCloseTo(first.total_cost_usd, 12);
  });

  it('[M-4] is the total itself when the total fell', () => {
    expect(costOf(result({ total_cost_usd: 0.01 }), result({ total_cost_usd: 0.5 }))).toBe(0.01);
  });

  it('[M-4] is nothing for a turn that cost nothing', () => {
    expect(costOf(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: 0.5 }))).toBe(0);
  });

  it('[M-4] is undefined when the result names no cost', () => {
    expect(costOf(result({}))).toBeUndefined();
    expect(costOf(result({ total_cost_usd: '1' }), result({ total_cost_usd: 1 }))).toBeUndefined();
  });

  it('[M-4] takes a turn before without a cost as the beginning', () => {
    expect(costOf(result({ total_cost_usd: 0.5 }), result({ total_cost_usd: null }))).toBe(0.5);
  });
});
