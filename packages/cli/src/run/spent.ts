import type { Session, TokenCounts, TurnCost } from 'coxswain';

/** The cost of a prompt and of the background work it caused. */
export interface Spent {
  /** `undefined` when the CLI reported no cost. */
  readonly costUsd: number | undefined;
  /** Everything since the session was opened. */
  readonly totalCostUsd: number;
  readonly usage: TokenCounts;
}

/** Counts the cost of a session outside its turns: the CLI starts further turns when background work has ended. */
export class Spending {
  readonly #session: Session;
  #told: TurnCost;

  constructor(session: Session) {
    this.#session = session;
    this.#told = session.cost().background;
  }

  /** The cost of a turn, if any, plus what was spent outside turns since the last call. */
  with(turn?: TurnCost): Spent {
    const { costUsd: totalCostUsd, background } = this.#session.cost();
    const before = this.#told;
    this.#told = background;
    const grown = (field: keyof TokenCounts): number =>
      (turn?.usage[field] ?? 0) + background.usage[field] - before.usage[field];
    const costUsd = (turn?.costUsd ?? 0) + background.costUsd - before.costUsd;
    return {
      costUsd: told(turn, costUsd),
      totalCostUsd,
      usage: {
        inputTokens: grown('inputTokens'),
        outputTokens: grown('outputTokens'),
        cacheReadTokens: grown('cacheReadTokens'),
        cacheCreationTokens: grown('cacheCreationTokens'),
      },
    };
  }
}

/** The cost of a query, which has no session. */
export function spentOn(query: TurnCost): Spent {
  return { costUsd: told(query, query.costUsd), totalCostUsd: query.costUsd, usage: query.usage };
}

function told(turn: TurnCost | undefined, costUsd: number): number | undefined {
  return turn?.complete !== false || costUsd > 0 ? costUsd : undefined;
}
