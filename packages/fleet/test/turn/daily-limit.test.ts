import { describe, expect, it } from 'vitest';
import { isWithin, reservationFor } from '../../src/turn/daily-limit.ts';

describe('the daily limit of a tenant', () => {
  const day = { maxUsdPerDay: 1, spentUsd: 0, reservedUsd: 0, budgetUsd: null, isFlexible: false };

  it.each([
    ['a budget that fits', { budgetUsd: 0.4, spentUsd: 0.2, reservedUsd: 0.4 }, true],
    ['a budget that does not fit beside what is reserved', { budgetUsd: 0.41, spentUsd: 0.2, reservedUsd: 0.4 }, false],
    [
      'a budget that fits exactly, although sums are not exact',
      { budgetUsd: 0.1, spentUsd: 0.2, reservedUsd: 0.7 },
      true,
    ],
    ['a budget larger than a day, on a day without any cost', { budgetUsd: 5 }, true],
    ['a budget larger than a day, on any other day', { budgetUsd: 5, spentUsd: 0.01 }, false],
    ['no budget while anything is left', { spentUsd: 0.5, reservedUsd: 0.4 }, true],
    ['no budget when all is spent or reserved', { spentUsd: 0.6, reservedUsd: 0.4 }, false],
    ['any turn when nothing may be spent', { maxUsdPerDay: 0 }, false],
    ['no turn if it is unknown what was spent', { spentUsd: Number.NaN }, false],
    ['a turn with a budget when nothing may be spent', { maxUsdPerDay: 0, budgetUsd: 4 }, false],
  ])('[F-10] %s', (_, given, isAllowed) => {
    expect(isWithin({ ...day, ...given })).toBe(isAllowed);
  });

  it.each([
    ['its whole budget if that is left', { budgetUsd: 0.4, spentUsd: 0.2, reservedUsd: 0.4 }, 0.4],
    ['nothing while other turns may return some of what they hold', { spentUsd: 0.2, reservedUsd: 0.5 }, undefined],
    ['what is left, if nobody holds anything', { spentUsd: 0.75 }, 0.25],
    ['nothing if nothing is left', { spentUsd: 1 }, undefined],
    ['nothing if it is unknown what was spent', { spentUsd: Number.NaN }, undefined],
    ['the whole day if the budget is larger', { budgetUsd: 5 }, 1],
  ])('[F-43] a turn with maxUsdPerTurn reserves %s', (_, given, usd) => {
    expect(reservationFor({ ...day, budgetUsd: 0.4, ...given, isFlexible: true })).toBe(usd);
  });

  it('[F-10] a turn with only a budget of its agent reserves all of it, or nothing', () => {
    expect(reservationFor({ ...day, budgetUsd: 0.4, spentUsd: 0.6 })).toBe(0.4);
    expect(reservationFor({ ...day, budgetUsd: 0.4, spentUsd: 0.7 })).toBeUndefined();
    expect(reservationFor({ ...day, budgetUsd: 5 })).toBe(1);
  });
});
