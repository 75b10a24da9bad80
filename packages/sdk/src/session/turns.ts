import { AbortError, TimeoutError } from '../errors/stream.ts';
import { TurnEndedError, TurnQueueFullError } from '../errors/turn.ts';
import type { Limits } from '../limits.ts';
import { outcomeOf } from '../messages/outcome.ts';
import { retryDelayOf } from '../messages/retry-delay.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { checkTurn } from '../options/turn.ts';
import type { EventBody } from '../stream/events.ts';
import { onAbort } from '../stream/on-abort.ts';
import { Timers } from '../stream/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { CostLedger } from './cost-ledger.ts';
import type { Observers } from './observers.ts';
import type { SessionTurn } from './turn.ts';
import type { SettingsKeeper } from './turn-settings.ts';
import {
  additionSettled,
  around,
  type Destination,
  decidesNothing,
  idleTracker,
  isQuiet,
  isThrough,
  promptAdded,
  promptSent,
  type TurnTracker,
  takenForOther,
  track,
  turnDropped,
} from './turn-tracker.ts';

type AnyTurn = SessionTurn<unknown>;

/** A message with what has to be known of it besides. */
interface Arrival {
  readonly message: Message;
  readonly rawJson: string;
  readonly at: number;
}

/** What the turns need of their session. */
export interface TurnsHost {
  readonly limits: Limits;
  /** The session is ready and not stopping. */
  canSend(): boolean;
  send(frame: UserFrame): Promise<void>;
  /** Of the CLI, which a turn may have its own of. */
  readonly settings: Pick<SettingsKeeper, 'apply' | 'lent' | 'giveBack'>;
  /** The pipe stood still for a slow reader: the CLI's silence is not its own. */
  heldUpWithin(ms: number): boolean;
  /** Asks the CLI to end what it does. */
  interrupt(): Promise<unknown>;
  /** A turn that was given up did not end. */
  stuck(cause: Error): void;
  /** They are told when it is known whose a message is: a turn's, or nobody's. */
  readonly observers: Pick<Observers, 'message'>;
  readonly costs: CostLedger;
  event(event: EventBody): void;
}

/** The turns of a session: one runs, the others wait in order. */
export class Turns {
  readonly #host: TurnsHost;
  readonly #waiting: AnyTurn[] = [];
  readonly #timers = new Timers<'whole' | 'idle' | 'stuck'>();
  #tracker: TurnTracker = idleTracker;
  #current: AnyTurn | undefined;
  /** The current turn's prompt is being prepared and written. */
  #preparing = false;
  #prepared: Promise<void> = Promise.resolve();
  #holds = 0;
  #holdWaiters: (() => void)[] = [];
  /** The turn that was said to have begun, and not yet to have ended. */
  #begun: AnyTurn | undefined;
  #undecided: Arrival[] = [];
  #undecidedBytes = 0;
  #idleWaiters: (() => void)[] = [];
  #idlePaused = false;

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  get current(): AnyTurn | undefined {
    return this.#current;
  }

  /** True when no turn runs or waits, neither of ours nor of the CLI's own, and no background task is open. */
  get quiet(): boolean {
    return !this.#current && this.#waiting.length === 0 && !this.#preparing && isQuiet(this.#tracker);
  }

  add(turn: AnyTurn): void {
    const { maxWaitingTurns } = this.#host.limits;
    const { signal } = turn.options;
    if (signal?.aborted) return turn.feed.end(new AbortError(signal.reason));
    if (this.#waiting.length >= maxWaitingTurns) return turn.feed.end(new TurnQueueFullError(maxWaitingTurns));
    if (signal) {
      const forget = onAbort(signal, () => this.#abandon(turn, new AbortError(signal.reason)));
      void turn.feed.ended.then(forget);
    }
    this.#waiting.push(turn);
    this.advance();
  }

  /** Takes a turn back whose prompt has not been written; false when it has. */
  takeBack(turn: AnyTurn): boolean {
    if (this.#current === turn && !this.#isSent(turn)) {
      this.#release();
    } else {
      const at = this.#waiting.indexOf(turn);
      if (at === -1) return false;
      this.#waiting.splice(at, 1);
    }
    turn.cancel();
    this.#checkIdle();
    return true;
  }

  /** Resolves when the turn's prompt is written and it runs. @throws TurnEndedError when it waits, or is over */
  async underWay(turn: AnyTurn): Promise<void> {
    if (this.#current === turn) await this.#prepared;
    if (this.#current !== turn || turn.feed.over) throw new TurnEndedError();
  }

  /** Adds something to the turn that runs. @throws OptionsError; TurnEndedError when it waits, or is over */
  async addTo(turn: AnyTurn, prompt: UserContent): Promise<void> {
    const { problem, content } = checkTurn(prompt, {});
    if (problem) throw problem;
    await this.underWay(turn);
    const id = crypto.randomUUID();
    this.#tracker = promptAdded(this.#tracker, id);
    // Without a priority: `now` would cut the running turn short and begin another.
    await this.#host.send(userFrame(content, id));
  }

  /** What was added to the turn that runs and the CLI has not taken up, by uuid. */
  get additions(): readonly string[] {
    return [...this.#tracker.added].filter(([, state]) => state !== 'taken').map(([id]) => id);
  }

  /** The CLI was interrupted. After a result, nothing comes of what was added before. */
  interrupted(): void {
    if (this.#tracker.resulted) for (const id of this.additions) this.withdrawn(id);
  }

  /** The CLI gave an addition back unread. */
  withdrawn(addition: string): void {
    this.#tracker = additionSettled(this.#tracker, addition);
    this.#endIfThrough();
  }

  /** No prompt is sent until the returned function is called: the CLI would merge it into what it is doing. */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      if (this.#holds > 0) return;
      for (const resume of this.#holdWaiters.splice(0)) resume();
      this.advance();
    };
  }

  /** Sends the next prompt if nothing stands against it. */
  advance(): void {
    const blocked = this.#current || this.#preparing || this.#holds > 0 || !this.#host.canSend();
    const turn = blocked ? undefined : this.#waiting.shift();
    if (turn) this.#prepared = this.#begin(turn);
    else this.#checkIdle();
  }

  /** Hands a message to the turn it belongs to. */
  route(message: Message, rawJson: string, at: number): void {
    const before = this.#tracker;
    // Asking the tracker about each, and looking for what it might have changed, takes 3 % of the turns of 200 sessions.
    if (decidesNothing(message)) return this.#pass(around(before), before.sent, message, rawJson, at);
    const step = track(before, message);
    this.#tracker = step.tracker;
    this.#reportTasks(before, message);
    if (step.undecidedTo) this.#settleUndecided(step.undecidedTo === 'turn' ? before.sent : undefined);
    if (step.began) this.#sayBegun();
    if (message.type === 'result') this.#host.costs.told(message, step.to === 'turn' ? before.sent : undefined);
    this.#pass(step.to, before.sent, message, rawJson, at);
    if (step.ended && message.type === 'result') this.#end(message, before.sent);
    else this.#endIfThrough();
  }

  /** Fails the turn that runs and those that wait. The CLI may still be at it. */
  failAll(why: () => Error, whyWaiting: () => Error = why): void {
    const running = this.#current;
    const waiting = this.#waiting.splice(0);
    this.#release();
    if (running) running.feed.end(why());
    this.#sayEnded();
    for (const turn of waiting) turn.feed.end(whyWaiting());
  }

  /** The same, and nothing more will come. */
  close(why: () => Error, whyWaiting?: () => Error): void {
    this.failAll(why, whyWaiting);
    this.#settleUndecided(undefined);
    this.#tracker = idleTracker;
    this.#checkIdle();
  }

  /** The result of the running turn came, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.#current;
    if (!turn || !this.#isSent(turn)) return;
    const cost = this.#drop();
    turn.feed.end(failure);
    this.#sayEnded('no-result', cost);
    this.advance();
  }

  /** Resolves when no turn runs or waits and no task is open. */
  idle(): Promise<void> {
    if (this.quiet) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** While a callback of ours runs, the CLI's silence is not its own. */
  pauseIdle(): void {
    this.#idlePaused = true;
    this.#timers.clear('idle');
  }

  resumeIdle(): void {
    this.#idlePaused = false;
    this.#armIdle();
  }

  async #begin(turn: AnyTurn): Promise<void> {
    const { timeoutMs } = turn.options;
    this.#current = turn;
    this.#preparing = true;
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#abandon(turn, new TimeoutError('timeoutMs', timeoutMs)));
    }
    try {
      await this.#host.settings.apply(turn.options);
      if (this.#holds > 0) await new Promise<void>((resolve) => this.#holdWaiters.push(resolve));
      if (this.#current === turn) await this.#send(turn);
    } catch (error) {
      turn.feed.end(error instanceof Error ? error : new Error(String(error)));
      const cost = this.#current === turn ? this.#drop() : undefined;
      this.#sayEnded('no-result', cost);
    } finally {
      this.#preparing = false;
      this.#giveBack();
      this.advance();
    }
  }

  async #send(turn: AnyTurn): Promise<void> {
    this.#tracker = promptSent(this.#tracker, turn.id);
    this.#host.costs.sent(turn.id, turn.feed.charge());
    this.#armIdle();
    await this.#host.send(userFrame(turn.content, turn.id));
    turn.sent = true;
  }

  #isSent(turn: AnyTurn): boolean {
    return this.#tracker.sent === turn.id;
  }

  #pass(to: Destination, sent: string | undefined, message: Message, rawJson: string, at: number): void {
    if (to === 'undecided') {
      this.#keep({ message, rawJson, at });
    } else {
      this.#host.observers.message(message, rawJson, to === 'background' ? undefined : sent, at);
      // Whoever was just told may have ended the turn.
      const current = this.#current;
      if (to === 'turn' && sent !== undefined && sent === current?.id) current.feed.message(message, rawJson, at);
    }
    if (to !== 'background') this.#armIdle(message);
  }

  /** One of ours is known by the echo of its prompt long before it has said so much. */
  #keep(arrival: Arrival): void {
    this.#undecided.push(arrival);
    this.#undecidedBytes += arrival.rawJson.length;
    if (this.#undecidedBytes <= this.#host.limits.bufferBytes) return;
    this.#tracker = takenForOther(this.#tracker);
    this.#settleUndecided(undefined);
  }

  #settleUndecided(turn: string | undefined): void {
    const held = this.#undecided;
    this.#undecided = [];
    this.#undecidedBytes = 0;
    const to = turn === undefined ? 'background' : 'turn';
    for (const { message, rawJson, at } of held) this.#pass(to, turn, message, rawJson, at);
  }

  /** The idle clock starts anew with every frame, and allows for the time the CLI itself waits for the API. */
  #armIdle(message?: Message): void {
    const turn = this.#current;
    const idleTimeoutMs = turn?.options.idleTimeoutMs;
    if (!turn || idleTimeoutMs === undefined || this.#idlePaused || turn.feed.over || !this.#isSent(turn)) return;
    const retry = message ? retryDelayOf(message) : 0;
    this.#timers.set('idle', idleTimeoutMs + retry, () => {
      if (this.#host.heldUpWithin(idleTimeoutMs)) this.#armIdle();
      else this.#abandon(turn, new TimeoutError('idleTimeoutMs', idleTimeoutMs));
    });
  }

  /** The caller does not want the turn any more: it is told at once, and the CLI has a moment to come back. */
  #abandon(turn: AnyTurn, error: Error): void {
    turn.feed.end(error, true);
    if (this.takeBack(turn)) return;
    if (this.#current !== turn) return;
    const { interruptTimeoutMs } = this.#host.limits;
    this.#timers.clear();
    this.#timers.set('stuck', interruptTimeoutMs, () => this.#host.stuck(error));
    this.#host.interrupt().catch(() => {
      // The clock above decides; a CLI that refuses an interrupt may still end its turn.
    });
  }

  /** What was added to a turn was withdrawn after its result: no other will come. */
  #endIfThrough(): void {
    const result = isThrough(this.#tracker) ? this.#current?.feed.results.at(-1) : undefined;
    if (!result) return this.#checkIdle();
    const { sent } = this.#tracker;
    this.#tracker = turnDropped(this.#tracker);
    this.#end(result, sent);
  }

  /** `sent` is the turn whose result it is; it may have been failed before. */
  #end(result: Extract<Message, { type: 'result' }>, sent: string | undefined): void {
    const turn = this.#current;
    const cost = sent === undefined ? undefined : this.#host.costs.over(sent);
    this.#release();
    turn?.feed.end();
    this.#sayEnded(outcomeOf(result).kind, cost);
    this.advance();
  }

  #sayBegun(): void {
    this.#begun = this.#current;
    if (this.#begun) this.#host.event({ type: 'turn-started', turn: this.#begun.id });
  }

  /** Whatever has begun also ends, for whoever measures or counts turns. */
  #sayEnded(outcome = 'no-result', told?: TurnCost): void {
    const turn = this.#begun;
    this.#begun = undefined;
    if (!turn) return;
    const cost = told ?? this.#host.costs.cut(turn.id);
    this.#host.event({ type: 'turn-ended', turn: turn.id, outcome, costUsd: cost.costUsd, cost });
  }

  /** The current turn is over without a result. */
  #drop(): TurnCost | undefined {
    const cost = this.#current && this.#host.costs.over(this.#current.id, false);
    this.#tracker = turnDropped(this.#tracker);
    this.#release();
    return cost;
  }

  #release(): void {
    if (this.#current) this.#host.costs.cut(this.#current.id);
    this.#current = undefined;
    this.#timers.clear();
    this.#giveBack();
  }

  /** A turn's own settings end with it. */
  #giveBack(): void {
    const { settings } = this.#host;
    if (!settings.lent || this.#current || this.#preparing || !this.#host.canSend()) return;
    const release = this.hold();
    settings
      .giveBack()
      .catch(() => {
        // It is tried again before the next prompt, whose turn fails if that fails.
      })
      .finally(release);
  }

  #reportTasks(before: TurnTracker, message: Message): void {
    const { tasks } = this.#tracker;
    if (before.tasks === tasks) return;
    const reported = message.type === 'system' && message.subtype === 'task_notification' ? message.status : undefined;
    for (const task of tasks) if (!before.tasks.has(task)) this.#host.event({ type: 'task-opened', task });
    for (const task of before.tasks) {
      if (!tasks.has(task)) this.#host.event({ type: 'task-closed', task, status: reported ?? null });
    }
  }

  #checkIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.quiet) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
