import type { Session, TokenCounts, TurnCost } from 'coxswain';

/** The cost of a prompt and of the background work it caused. */
export interface Spent {
  /** `undefined` if the CLI reported no cost. */
  readonly costUsd: number | undefined;
  /** Everything since the session was opened. */
  readonly totalCostUsd: number;
  readonly usage: TokenCounts;
}

/** Counts the cost of a session outside its turns: the CLI starts further turns when background work has ended. */
export class Spending {
  readonly #session: Session;
  #counted: TurnCost;

  constructor(session: Session) {
    this.#session = session;
    this.#counted = session.cost().background;
  }

  /** The cost of a turn, if any, plus the cost outside turns since the last call. */
  with(turn?: TurnCost): Spent {
    const { costUsd: totalCostUsd, background } = this.#session.cost();
    const before = this.#counted;
    this.#counted = background;
    const grown = (field: keyof TokenCounts): number =>
      (turn?.usage[field] ?? 0) + background.usage[field] - before.usage[field];
    const costUsd = (turn?.costUsd ?? 0) + background.costUsd - before.costUsd;
    return {
      costUsd: knownCost(turn, costUsd),
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
  return { costUsd: knownCost(query, query.costUsd), totalCostUsd: query.costUsd, usage: query.usage };
}

function knownCost(turn: TurnCost | undefined, costUsd: number): number | undefined {
  return turn?.complete !== false || costUsd > 0 ? costUsd : undefined;
}
