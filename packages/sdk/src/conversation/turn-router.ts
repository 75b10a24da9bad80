import type { Limits } from '../limits.ts';
import type { EventBody } from '../report/events.ts';
import type { Feed } from '../stream/feed.ts';
import { ITEM_BYTES } from '../stream/queue.ts';
import { Timers } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';
import { taskEvents } from './background-tasks.ts';
import type { CostLedger } from './cost-ledger.ts';
import type { Arrival } from './held-messages.ts';
import {
  type Destination,
  idleTracker,
  isStarting,
  isThrough,
  leftovers,
  type Prompt,
  promptWithdrawn,
  promptWritten,
  type TurnTracker,
  track,
  turnDropped,
  turnResumed,
  worksByItself,
} from './turn-tracker.ts';

/** The parts of the process that routing uses. */
export interface RouterHost {
  readonly limits: Pick<Limits, 'bufferBytes' | 'interruptTimeoutMs'>;
  readonly costs: Pick<CostLedger, 'reported' | 'close'>;
  readonly report: {
    event(event: EventBody): void;
    message(message: Message, rawJson: string, turn: string | undefined, at: number): void;
  };
}

/** The turns that frames are routed to. */
export interface RoutedTurns {
  readonly current: { readonly id: string; readonly feed: Pick<Feed, 'message'> } | undefined;
  readonly callbackRuns: boolean;
  began(): void;
  runStarted(): void;
  ended(turn: string | undefined): void;
  heard(message: Message): void;
  advance(): void;
}

/** Decides which turn each frame belongs to, and passes it on. */
export class TurnRouter {
  tracker: TurnTracker = idleTracker;
  readonly #host: RouterHost;
  readonly #turns: RoutedTurns;
  readonly #timers = new Timers<'leftovers'>();
  #undecided: Arrival[] = [];
  #undecidedBytes = 0;

  constructor(host: RouterHost, turns: RoutedTurns) {
    this.#host = host;
    this.#turns = turns;
  }

  sent(role: Prompt['role'], id: string): void {
    this.tracker = promptWritten(this.tracker, role, id);
  }

  /** The CLI resumes a turn when it starts. */
  resumed(id: string): void {
    this.tracker = turnResumed(this.tracker, id);
  }

  /** The CLI returned a prompt unread, or it could not be written. */
  withdrawn(prompt: string): void {
    this.tracker = promptWithdrawn(this.tracker, prompt);
    if (!isThrough(this.tracker)) return this.#turns.advance();
    const { turn } = this.tracker;
    this.drop();
    this.#turns.ended(turn);
  }

  /** The current turn is abandoned, and no result of it will arrive. */
  drop(): void {
    this.tracker = turnDropped(this.tracker);
  }

  route(message: Message, rawJson: string, at: number): void {
    const before = this.tracker;
    const { report, costs } = this.#host;
    const step = track(before, message);
    this.tracker = step.tracker;
    for (const event of taskEvents(before.tasks, step.tracker.tasks, message)) report.event(event);
    if (step.undecidedTo) this.#settleUndecided(step.undecidedTo === 'turn' ? before.turn : undefined);
    if (step.began) this.#turns.began();
    if (message.type === 'result') costs.reported(message, step.to === 'turn' ? before.turn : undefined);
    this.#pass(step.to, before.turn, { message, rawJson, at });
    if (step.ended) this.#turns.ended(before.turn);
    else if (isStarting(before) && !isStarting(this.tracker)) this.#turns.runStarted();
    else this.#turns.advance();
    this.#awaitLeftovers();
  }

  close(): void {
    const { report, costs } = this.#host;
    this.#settleUndecided(undefined);
    for (const event of taskEvents(this.tracker.tasks, idleTracker.tasks)) report.event(event);
    costs.close(worksByItself(this.tracker));
    this.tracker = idleTracker;
    this.#timers.clear();
  }

  #pass(to: Destination, sent: string | undefined, arrival: Arrival): void {
    const { message, rawJson, at } = arrival;
    if (to === 'undecided') {
      this.#undecided.push(arrival);
      this.#undecidedBytes += rawJson.length + ITEM_BYTES;
      // The echo of the prompt identifies a run of the turn long before it has produced this much output.
      if (this.#undecidedBytes > this.#host.limits.bufferBytes) {
        this.tracker = { ...this.tracker, phase: 'other' };
        this.#settleUndecided(undefined);
      }
    } else {
      this.#host.report.message(message, rawJson, to === 'background' ? undefined : sent, at);
      const { current } = this.#turns;
      // An observer that received the message first may have ended the turn.
      if (to === 'turn' && current?.id === sent) current?.feed.message(message, rawJson, at);
    }
    if (to !== 'background') this.#turns.heard(message);
  }

  #settleUndecided(turn: string | undefined): void {
    const to = turn === undefined ? 'background' : 'turn';
    const arrivals = this.#undecided;
    this.#undecided = [];
    this.#undecidedBytes = 0;
    for (const arrival of arrivals) this.#pass(to, turn, arrival);
  }

  /**
   * Limits the wait for prompts that the CLI may have settled without a word: releases before 2.1.206 merge several waiting
   * prompts into one, and when a hook refuses it, report only the first.
   */
  #awaitLeftovers(): void {
    this.#timers.clear();
    if (leftovers(this.tracker).length === 0) return;
    this.#timers.set('leftovers', this.#host.limits.interruptTimeoutMs, () => {
      // While a user callback runs, the CLI waits for it.
      if (this.#turns.callbackRuns) return this.#awaitLeftovers();
      for (const id of leftovers(this.tracker)) this.withdrawn(id);
    });
  }
}
