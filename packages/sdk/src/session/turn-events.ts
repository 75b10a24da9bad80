import type { TurnCost } from '../messages/turn-cost.ts';
import type { EventBody } from '../report/events.ts';
import type { Message } from '../wire/messages.ts';
import { type BackgroundTasks, taskEvents } from './background-tasks.ts';
import type { CostLedger } from './cost-ledger.ts';

/** Tells observers when turns and background tasks begin and end: each that has begun also ends. */
export class TurnEvents {
  readonly #event: (event: EventBody) => void;
  readonly #costs: Pick<CostLedger, 'cut'>;
  #begun: string | undefined;

  constructor(event: (event: EventBody) => void, costs: Pick<CostLedger, 'cut'>) {
    this.#event = event;
    this.#costs = costs;
  }

  began(turn: string): void {
    this.#begun = turn;
    this.#event({ type: 'turn-started', turn });
  }

  /** Without a cost the turn was given up before its last result. */
  ended(outcome = 'no-result', told?: TurnCost): void {
    const turn = this.#begun;
    if (turn === undefined) return;
    this.#begun = undefined;
    const cost = told ?? this.#costs.cut(turn);
    this.#event({ type: 'turn-ended', turn, outcome, costUsd: cost.costUsd, cost });
  }

  /** The tasks are other ones, because of this message or because the process is gone. */
  tasks(before: BackgroundTasks, after: BackgroundTasks, message?: Message): void {
    for (const event of taskEvents(before, after, message)) this.#event(event);
  }
}
