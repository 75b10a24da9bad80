import { describe, expect, it } from 'vitest';
import { budgetLeft, lowestUsd } from '../../src/turn/turn-budget.ts';

describe('the budget of a turn', () => {
  const none = { budgetUsd: undefined, maxUsd: null, earlierUsd: null };

  it.each([
    ['none without limits', {}, undefined],
    ['that of the agent', { budgetUsd: 2 }, 2],
    ['that of the turn or its tenant', { maxUsd: 3 }, 3],
    ['the lower one', { budgetUsd: 2, maxUsd: 3 }, 2],
    ['the lower one, whichever it is', { budgetUsd: 4, maxUsd: 3 }, 3],
    ['less what earlier runs have cost', { budgetUsd: 4, maxUsd: 3, earlierUsd: 1 }, 2],
    ['enough for the answer that resumes it, if all is spent', { maxUsd: 3, earlierUsd: 4 }, 1e-6],
    ['an invalid amount as it is, so that the SDK refuses it', { budgetUsd: -1, maxUsd: 3 }, -1],
  ])('[F-43] is %s', (_, given, usd) => {
    expect(budgetLeft({ ...none, ...given })).toBe(usd);
  });

  it('[F-43] the lower of two limits counts, if there are two', () => {
    expect([lowestUsd(null, null), lowestUsd(1, null), lowestUsd(null, 2), lowestUsd(1, 2)]).toEqual([null, 1, 2, 1]);
  });
});
