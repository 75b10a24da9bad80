import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PINNED_VERSION } from '../../src/cli/version.ts';
import { CostAccount, CostLedger } from '../../src/conversation/cost-ledger.ts';
import type { TurnCost } from '../../src/messages/turn-cost.ts';
import type { EventBody } from '../../src/report/events.ts';
import type { ResultMessage } from '../../src/wire/messages.ts';

/** The events of a conversation: a turn of the caller or of the CLI, a clear, the end of the process. */
const spending = fc.record({ model: fc.constantFrom('a', 'b'), tokens: fc.integer({ min: 0, max: 1000 }) });
const happening = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('turn' as const), spent: fc.array(spending, { maxLength: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('own' as const), spent: fc.array(spending, { maxLength: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('clear' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('end' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('cut' as const), spent: fc.array(spending, { maxLength: 3 }) }),
  },
);

type Spent = readonly { readonly model: string; readonly tokens: number }[];
const sumOf = (spent: Spent): number => spent.reduce((sum, { tokens }) => sum + tokens, 0);

describe.each([
  { release: '2.1.197', carries: false, resets: false, reports: false },
  { release: '2.1.250', carries: false, resets: true, reports: false },
  { release: '2.1.290', carries: true, resets: true, reports: false },
  { release: PINNED_VERSION, carries: true, resets: true, reports: true },
])('the costs of a conversation with $release', ({ release, carries, resets, reports }) => {
  it('[M-8] are those of the turns, each counted once, in any process', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 30 }), (life) => {
        const cli = new Counter({ carries, resets, reports });
        const account = new CostAccount();
        const events: Extract<EventBody, { type: 'cost-reported' }>[] = [];
        const open = (resume: boolean): CostLedger => {
          const report = { event: (event: EventBody) => void (event.type === 'cost-reported' && events.push(event)) };
          const ledger = new CostLedger({ release, report }, resume ? { resume: 'it' } : {}, account);
          if (ledger.mustAskBase) ledger.baseAnswered({ session: cli.usage() });
          return ledger;
        };
        let ledger = open(false);
        let background = 0;
        let total = 0;
        life.forEach((what, index) => {
          const turn = `turn-${index}`;
          let cost: TurnCost | undefined;
          const settle = (settled: TurnCost): void => {
            cost = settled;
          };
          if (what.kind === 'turn' || what.kind === 'cut') ledger.sent(turn, settle);
          if (what.kind === 'turn' || what.kind === 'own') {
            ledger.reported(cli.result(what.spent), what.kind === 'turn' ? turn : undefined);
            total += sumOf(what.spent);
          }
          if (what.kind === 'turn') {
            ledger.over(turn);
            expect([cost?.costUsd, cost?.usage.inputTokens, cost?.complete]).toEqual([
              sumOf(what.spent),
              sumOf(what.spent),
              true,
            ]);
          } else if (what.kind === 'own') {
            background += sumOf(what.spent);
          } else if (what.kind === 'clear') {
            cli.clear();
            ledger.reported(cli.result([]), undefined);
          } else {
            if (what.kind === 'cut') cli.spend(what.spent);
            cli.end(what.kind === 'cut');
            ledger.close(false);
            if (what.kind === 'cut') expect(cost).toMatchObject({ costUsd: 0, complete: false });
            ledger = open(true);
          }
        });
        expect([account.sum.costUsd, account.sum.background.costUsd]).toEqual([total, background]);
        expect(account.sum.complete).toBe(!life.some(({ kind }) => kind === 'cut'));
        expect(events.reduce((sum, { cost }) => sum + cost.costUsd, 0)).toBe(background);
      }),
      { numRuns: 300 },
    );
  });
});

/** Counts like a release of the CLI. A token costs a dollar, so that no sum is rounded. */
class Counter {
  readonly #how: { carries: boolean; resets: boolean; reports: boolean };
  #totals = new Map<string, number>();
  #since = new Map<string, number>();
  /** The totals that the last process saved at a normal exit. */
  #written = new Map<string, number>();
  #results = 0;

  constructor(how: { carries: boolean; resets: boolean; reports: boolean }) {
    this.#how = how;
  }

  spend(spent: Spent): void {
    for (const { model, tokens } of spent) {
      for (const totals of [this.#totals, this.#since]) totals.set(model, (totals.get(model) ?? 0) + tokens);
    }
  }

  result(spent: Spent): ResultMessage {
    this.spend(spent);
    const result = {
      type: 'result',
      uuid: String(this.#results++),
      total_cost_usd: sum(this.#totals),
      modelUsage: byModel(this.#totals),
      ...(this.#how.reports && { model_usage_since_last_result: byModel(this.#since) }),
    };
    this.#since.clear();
    return result as unknown as ResultMessage; // Without fields that the ledger does not use.
  }

  usage(): object {
    return { total_cost_usd: sum(this.#totals), model_usage: byModel(this.#totals) };
  }

  clear(): void {
    if (this.#how.resets) this.#totals.clear();
  }

  end(killed: boolean): void {
    if (!killed) this.#written = new Map(this.#totals);
    this.#totals = this.#how.carries ? new Map(this.#written) : new Map();
    this.#since.clear();
  }
}

function sum(totals: ReadonlyMap<string, number>): number {
  return [...totals.values()].reduce((all, tokens) => all + tokens, 0);
}

function byModel(totals: ReadonlyMap<string, number>): object {
  return Object.fromEntries([...totals].map(([model, tokens]) => [model, { inputTokens: tokens, costUSD: tokens }]));
}
