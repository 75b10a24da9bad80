import { compareVersions } from '@coxswain/shared/version';
import {
  type CostReading,
  costBetween,
  NOTHING_READ,
  readingInUsage,
  readingOf,
  spent,
  wasReset,
} from '../messages/cost.ts';
import { addCosts, incomplete, isNothing, NO_COST, type SessionCost, type TurnCost } from '../messages/turn-cost.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { EventBody } from '../report/events.ts';
import type { ResultMessage } from '../wire/messages.ts';

/** The cost of one session, over all its processes. */
export class CostAccount {
  total: TurnCost = NO_COST;
  #background: TurnCost = NO_COST;

  get sum(): SessionCost {
    return { ...this.total, background: this.#background };
  }

  add(cost: TurnCost, background: boolean): void {
    this.total = addCosts(this.total, cost);
    if (background) this.#background = addCosts(this.#background, cost);
  }

  /** The CLI has unreported costs. */
  miss(): void {
    this.total = incomplete(this.total);
  }
}

export interface LedgerHost {
  readonly release: string | undefined;
  /** A query has no turns, and thus no cost events. */
  readonly report?: { event(event: EventBody): void };
}

interface OpenTurn {
  cost: TurnCost;
  /** It was abandoned: the event of its end does not wait for later results. */
  cut: boolean;
  /** The CLI has reported everything, and there will be no result. */
  isKnown: boolean;
  /** It only clears the conversation: costs until its result belong to no turn. */
  readonly clears: boolean;
  /** The CLI was doing background work when the prompt was written. */
  readonly working: boolean;
  readonly settle: (cost: TurnCost) => void;
}

/** Divides the cost of one process among its turns: each result reports the cost since the previous one. */
export class CostLedger {
  readonly account: CostAccount;
  readonly #host: LedgerHost;
  readonly #resumes: boolean;
  /** The totals at the start of a resumed process, if known. */
  #base: CostReading | undefined;
  readonly #open = new Map<string, OpenTurn>();
  #last: ResultMessage | undefined;
  /** A result was lost: the next one also includes its cost. */
  #gap = false;

  constructor(
    host: LedgerHost,
    options: Pick<AgentOptions, 'resume' | 'continue'>,
    account: CostAccount = new CostAccount(),
  ) {
    this.#host = host;
    this.account = account;
    this.#resumes = options.resume !== undefined || options.continue === true;
  }

  /** True if the totals at the start of the CLI must be requested, also for an unknown release. */
  get mustAskBase(): boolean {
    const { release } = this.#host;
    if (!this.#resumes || release === undefined) return this.#resumes;
    return carries(release) && compareVersions(release, TELLS_SINCE) < 0;
  }

  /** Whether the totals with which the CLI begins are needed only when a turn is parked: its results have the cost since the one before. */
  get mayAskBase(): boolean {
    const { release } = this.#host;
    return this.#resumes && release !== undefined && compareVersions(release, TELLS_SINCE) >= 0;
  }

  /** The CLI's answer to `get_usage`, before its first prompt. */
  baseAnswered(answer: unknown): void {
    this.#base = readingInUsage(answer);
  }

  /** Called before a prompt is written: its turn may have costs from now on. `settle` is called once, with the cost. */
  sent(turn: string, settle: (cost: TurnCost) => void, clears = false, working = false): void {
    this.#open.set(turn, { cost: NO_COST, cut: false, isKnown: false, clears, working, settle });
  }

  /** Called when a result of this turn or of background work has arrived. */
  reported(result: ResultMessage, turn: string | undefined): void {
    // The CLI may repeat a result.
    if (this.#last && result.uuid !== undefined && result.uuid === this.#last.uuid) return;
    const before = this.#before();
    const named = turn === undefined ? undefined : this.#open.get(turn);
    const lost = named?.working === true && wasReset(result, before);
    const cost = lost ? incomplete(spent(result, before)) : spent(result, before);
    this.#last = result;
    this.#gap = false;
    const open = named?.clears ? undefined : named;
    if (open) open.cost = addCosts(open.cost, cost);
    this.account.add(cost, open === undefined);
    // `turn-ended` has the cost of its turn; only other costs are reported separately.
    if (!open || open.cut) this.#report(cost, (open && turn) ?? null);
  }

  /** The CLI's answer to `get_usage` while a turn waits, before its process is ended without a result. */
  parked(turn: string, answer: unknown): void {
    const open = this.#open.get(turn);
    const [before, now] = [this.#before(), readingInUsage(answer)];
    if (open === undefined || before === undefined || now === undefined) return;
    const cost = costBetween(before, now);
    open.cost = addCosts(open.cost, cost);
    open.isKnown = true;
    this.account.add(cost, false);
  }

  /** Called when a turn gets no more results. Its cost is not `complete` if the last result is missing. */
  over(turn: string, complete = true): TurnCost {
    const open = this.#open.get(turn);
    if (!open) return NO_COST;
    this.#open.delete(turn);
    const isKnown = complete || open.isKnown;
    const cost = isKnown ? open.cost : incomplete(open.cost);
    if (!isKnown) {
      this.#gap = true;
      this.account.miss();
    }
    open.settle(cost);
    return cost;
  }

  /** Called when a turn is abandoned before its last result: returns the cost known so far. */
  cut(turn: string): TurnCost {
    const open = this.#open.get(turn);
    if (!open) return NO_COST;
    open.cut = true;
    return open.isKnown ? open.cost : incomplete(open.cost);
  }

  /** Called when the process has exited. The cost of unfinished background work is unknown. */
  close(working: boolean): void {
    for (const turn of [...this.#open.keys()]) this.over(turn, false);
    if (!working) return;
    const cost = incomplete(NO_COST);
    this.account.add(cost, true);
    this.#report(cost, null);
  }

  #report(cost: TurnCost, turn: string | null): void {
    if (!isNothing(cost)) this.#host.report?.event({ type: 'cost-reported', turn, cost });
  }

  /** The totals before the next result; `undefined` if unknown. */
  #before(): CostReading | undefined {
    if (this.#gap) return undefined;
    if (this.#last) return readingOf(this.#last);
    const { release } = this.#host;
    return this.#resumes && (release === undefined || carries(release)) ? this.#base : NOTHING_READ;
  }
}

/** The first release whose process continues the totals of a process that ended gracefully. Measured. */
const CARRIES_SINCE = '2.1.277';

/** The first release whose results report the cost since the previous result. Measured. */
const TELLS_SINCE = '2.1.309';

function carries(release: string): boolean {
  return compareVersions(release, CARRIES_SINCE) >= 0;
}
