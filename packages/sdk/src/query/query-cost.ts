import { incomplete, NO_COST, type TurnCost } from '../messages/turn-cost.ts';
import { CostLedger, type LedgerHost, type ResumeOptions } from '../session/cost-ledger.ts';
import type { Message } from '../wire/messages.ts';
import { hasOpenWork, type StreamMachine } from './stream-machine.ts';

/** What a one-shot run costs: all its results together, for nothing else runs in its process. */
export class QueryCost implements LedgerHost {
  readonly settled: Promise<TurnCost>;
  /** A query has no turns whose cost could be told by events. */
  readonly report: LedgerHost['report'] = { event: () => {} };
  release: string | undefined;
  readonly #ledger: CostLedger;
  #heard = false;
  #settle: (cost: TurnCost) => void = () => {};

  constructor(options: ResumeOptions) {
    this.#ledger = new CostLedger(this, options);
    this.settled = new Promise((resolve) => {
      this.#settle = resolve;
    });
  }

  note(message: Message): void {
    if (message.type === 'result') {
      this.#heard = true;
      this.#ledger.told(message, undefined);
    } else if (message.type === 'system' && message.subtype === 'init') {
      this.release = message.claude_code_version;
    }
  }

  /** The run is over. Whatever the CLI was still doing, it has not told what that cost. */
  end(started: boolean, machine: StreamMachine): void {
    const { background: _, ...cost } = this.#ledger.account.sum;
    if (!started) this.#settle(NO_COST);
    else this.#settle(this.#heard && !hasOpenWork(machine) ? cost : incomplete(cost));
  }
}
