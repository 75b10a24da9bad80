import { describe, expect, it } from 'vitest';
import { CostLedger } from '../../src/conversation/cost-ledger.ts';
import type { TurnCost } from '../../src/messages/turn-cost.ts';

const spentSoFar = (total_cost_usd: number): object => ({ session: { total_cost_usd, model_usage: {} } });

/** The cost of a turn whose process ends after the CLI has given this answer. */
function parkedCost({ release = '2.1.325', resume, base, answer }: ParkedTurn): [TurnCost | undefined, TurnCost] {
  const ledger = new CostLedger({ release }, { resume });
  if (base !== undefined) ledger.baseAnswered(base);
  let cost: TurnCost | undefined;
  ledger.sent('turn', (settled) => {
    cost = settled;
  });
  ledger.parked('turn', answer);
  ledger.close(false);
  return [cost, ledger.account.total];
}
interface ParkedTurn {
  readonly release?: string;
  readonly resume?: string;
  readonly base?: unknown;
  readonly answer: unknown;
}

describe('the cost of a parked turn', () => {
  it.each<[string, ParkedTurn, number]>([
    ['the cost of a new process', { answer: spentSoFar(3) }, 3],
    ['the increase since a process resumed', { resume: 'id', base: spentSoFar(7), answer: spentSoFar(9) }, 2],
    ['the cost of a process of an older release', { release: '2.1.197', resume: 'id', answer: spentSoFar(3) }, 3],
  ])('[M-8] is %s', (_, turn, costUsd) => {
    for (const cost of parkedCost(turn)) expect(cost).toMatchObject({ costUsd, complete: true });
  });

  it.each<[string, ParkedTurn]>([
    ['the CLI did not answer', { answer: undefined }],
    ['the answer has no cost', { answer: { session: {} } }],
    ['the cost at the start of the process is unknown', { resume: 'id', answer: spentSoFar(9) }],
  ])('[M-8] is not complete if %s', (_, turn) => {
    for (const cost of parkedCost(turn)) expect(cost).toMatchObject({ costUsd: 0, complete: false });
  });
});
