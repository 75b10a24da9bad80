import type { Limits } from '../limits.ts';
import type { EventBody } from '../report/events.ts';
import { Timers } from '../timing/timers.ts';
import type { Message } from '../wire/messages.ts';
import { taskEvents } from './background-tasks.ts';
import type { CostLedger } from './cost-ledger.ts';
import type { Observers } from './observers.ts';
import {
  around,
  type Destination,
  decidesNothing,
  idleTracker,
  isFree,
  isQuiet,
  isStarting,
  isThrough,
  leftovers,
  openAdditions,
  promptAdded,
  promptPushed,
  promptSent,
  promptWithdrawn,
  type TurnTracker,
  takenForOther,
  track,
  turnDropped,
  worksByItself,
} from './turn-tracker.ts';

/** What the router needs from its session and its turns. */
export interface RouterHost {
  readonly limits: Limits;
  /** Observers get a message once its turn is known. */
  readonly observers: Pick<Observers, 'message'>;
  readonly costs: CostLedger;
  event(event: EventBody): void;
  /** Hands a message to the turn with this id. */
  deliver(turn: string, message: Message, rawJson: string, at: number): void;
  /** A message came that is no background work. */
  heard(message: Message): void;
  /** The CLI has begun with the current turn. */
  began(): void;
  /** Nothing more will come for the turn with this id. */
  ended(turn: string | undefined): void;
  /** A frame came that did not end the turn; `started` when a run of the turn has started with it. */
  advanced(started: boolean): void;
}

/** A frame whose turn is not known yet. */
interface Arrival {
  readonly message: Message;
  readonly rawJson: string;
  readonly at: number;
}

/** Decides which turn each frame belongs to and hands it on. */
export class TurnRouter {
  readonly #host: RouterHost;
  readonly #leftovers: LeftoverClock;
  #tracker: TurnTracker = idleTracker;
  #undecided: Arrival[] = [];
  #undecidedBytes = 0;

  constructor(host: RouterHost) {
    this.#host = host;
    this.#leftovers = new LeftoverClock(host.limits.interruptTimeoutMs, () => {
      for (const id of leftovers(this.#tracker)) this.withdrawn(id);
    });
  }

  /** The turn whose prompt was sent and which has not ended. */
  get turn(): string | undefined {
    return this.#tracker.turn;
  }

  /** True when the CLI is in a run of the current turn. */
  get inTurn(): boolean {
    return this.#tracker.phase === 'ours';
  }

  /** True when the CLI has yet to take up a prompt of the current turn. */
  get starting(): boolean {
    return isStarting(this.#tracker);
  }

  /** True when a prompt that is sent now gets a separate run. */
  get free(): boolean {
    return isFree(this.#tracker);
  }

  /** True when no turn runs and no background task is open. */
  get quiet(): boolean {
    return isQuiet(this.#tracker);
  }

  /** True while the CLI works on something that belongs to no turn. */
  get inBackground(): boolean {
    return worksByItself(this.#tracker);
  }

  /** Prompts that were added to the current turn and not taken up, by uuid. */
  get additions(): readonly string[] {
    return openAdditions(this.#tracker);
  }

  /** True while the CLI is not done with a prompt. */
  has(prompt: string): boolean {
    return this.#tracker.prompts.has(prompt);
  }

  /** A prompt is about to be written: that of a turn, an addition to the current turn, or a pushed frame. */
  sent(role: 'turn' | 'addition' | 'pushed', id: string): void {
    const step = { turn: promptSent, addition: promptAdded, pushed: promptPushed }[role];
    this.#tracker = step(this.#tracker, id);
  }

  /** The CLI gave a prompt back unread, or it could not be written. */
  withdrawn(prompt: string): void {
    this.#tracker = promptWithdrawn(this.#tracker, prompt);
    if (!isThrough(this.#tracker)) return this.#host.advanced(false);
    const { turn } = this.#tracker;
    this.drop();
    this.#host.ended(turn);
  }

  /** The current turn is given up, and no result of it will come. */
  drop(): void {
    this.#tracker = turnDropped(this.#tracker);
  }

  /** Hands a message to the turn it belongs to. */
  route(message: Message, rawJson: string, at: number): void {
    const before = this.#tracker;
    if (decidesNothing(message)) return this.#pass(around(before), before.turn, { message, rawJson, at });
    const step = track(before, message);
    this.#tracker = step.tracker;
    for (const event of taskEvents(before.tasks, step.tracker.tasks, message)) this.#host.event(event);
    if (step.undecidedTo) this.#settleUndecided(step.undecidedTo === 'turn' ? before.turn : undefined);
    if (step.began) this.#host.began();
    if (message.type === 'result') this.#host.costs.told(message, step.to === 'turn' ? before.turn : undefined);
    this.#pass(step.to, before.turn, { message, rawJson, at });
    if (step.ended) this.#host.ended(before.turn);
    else this.#host.advanced(isStarting(before) && !isStarting(this.#tracker));
    this.#leftovers.heard(leftovers(this.#tracker).length > 0);
  }

  /** While a user callback runs, the CLI waits for it. */
  pause(paused: boolean): void {
    this.#leftovers.pause(paused);
  }

  /** The process is gone. */
  close(): void {
    this.#settleUndecided(undefined);
    for (const event of taskEvents(this.#tracker.tasks, idleTracker.tasks)) this.#host.event(event);
    this.#host.costs.close(this.inBackground);
    this.#tracker = idleTracker;
    this.#leftovers.heard(false);
  }

  #pass(to: Destination, sent: string | undefined, arrival: Arrival): void {
    const { message, rawJson, at } = arrival;
    if (to === 'undecided') {
      this.#undecided.push(arrival);
      this.#undecidedBytes += rawJson.length;
      // A run of the turn is known by the echo of its prompt long before it has said more than this.
      if (this.#undecidedBytes > this.#host.limits.bufferBytes) {
        this.#tracker = takenForOther(this.#tracker);
        this.#settleUndecided(undefined);
      }
    } else {
      this.#host.observers.message(message, rawJson, to === 'background' ? undefined : sent, at);
      if (to === 'turn' && sent !== undefined) this.#host.deliver(sent, message, rawJson, at);
    }
    if (to !== 'background') this.#host.heard(message);
  }

  #settleUndecided(turn: string | undefined): void {
    const to = turn === undefined ? 'background' : 'turn';
    const arrivals = this.#undecided;
    this.#undecided = [];
    this.#undecidedBytes = 0;
    for (const arrival of arrivals) this.#pass(to, turn, arrival);
  }
}

/**
 * Limits the wait for prompts that the CLI may have settled without a word: releases before 2.1.206 merge several waiting
 * prompts into one, and when a hook refuses it, report only the first.
 */
class LeftoverClock {
  readonly #ms: number;
  readonly #giveUp: () => void;
  readonly #timer = new Timers<'leftovers'>();
  #paused = false;

  constructor(ms: number, giveUp: () => void) {
    this.#ms = ms;
    this.#giveUp = giveUp;
  }

  /** A frame came; `waits` when such prompts are open and the CLI is in no run. */
  heard(waits: boolean): void {
    this.#timer.clear();
    if (!waits) return;
    this.#timer.set('leftovers', this.#ms, () => {
      if (this.#paused) this.heard(true);
      else this.#giveUp();
    });
  }

  pause(paused: boolean): void {
    this.#paused = paused;
  }
}
