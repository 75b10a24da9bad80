import { AbortError, TimeoutError } from '../errors/stream.ts';
import { TurnQueueFullError } from '../errors/turn.ts';
import type { Limits } from '../limits.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { EventBody } from '../stream/events.ts';
import { Timers } from '../stream/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message } from '../wire/messages.ts';
import type { SessionTurn } from './turn.ts';
import {
  type Destination,
  idleTracker,
  isQuiet,
  promptSent,
  type TurnTracker,
  track,
  turnDropped,
} from './turn-tracker.ts';

type AnyTurn = SessionTurn<unknown>;

/** What the turns need of their session. */
export interface TurnsHost {
  readonly limits: Limits;
  /** The session is ready and not stopping. */
  canSend(): boolean;
  send(frame: UserFrame): Promise<void>;
  /** Gives the turn its own settings; returns how to give them back. */
  applySettings(turn: AnyTurn): Promise<() => Promise<void>>;
  /** Asks the CLI to end what it does. */
  interrupt(): Promise<unknown>;
  /** A turn that was given up did not end. */
  stuck(cause: Error): void;
  event(event: EventBody): void;
}

/** The turns of a session: one runs, the others wait in order. */
export class Turns {
  readonly #host: TurnsHost;
  readonly #waiting: AnyTurn[] = [];
  readonly #timers = new Timers<'whole' | 'idle' | 'stuck'>();
  #tracker: TurnTracker = idleTracker;
  #current: AnyTurn | undefined;
  /** The current turn's prompt is being prepared, or its settings are being given back. */
  #preparing = false;
  #holds = 0;
  #giveBack: (() => Promise<void>) | undefined;
  #undecided: { message: Message; rawJson: string; at: number }[] = [];
  #idleWaiters: (() => void)[] = [];
  #unlisten: () => void = () => {};

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  get current(): AnyTurn | undefined {
    return this.#current;
  }

  /** True when no turn runs or waits. */
  get empty(): boolean {
    return this.#current === undefined && this.#waiting.length === 0 && !this.#preparing;
  }

  /** True when, besides, no background task is open. */
  get quiet(): boolean {
    return this.empty && isQuiet(this.#tracker);
  }

  get openTasks(): ReadonlySet<string> {
    return this.#tracker.tasks;
  }

  add(turn: AnyTurn): void {
    const { maxWaitingTurns } = this.#host.limits;
    if (this.#waiting.length >= maxWaitingTurns) {
      turn.feed.end(new TurnQueueFullError(maxWaitingTurns));
      return;
    }
    this.#waiting.push(turn);
    this.advance();
  }

  /** Takes a turn back that has not been sent; false when it has. */
  takeBack(turn: AnyTurn): boolean {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    turn.cancel();
    this.#checkIdle();
    return true;
  }

  /** No prompt is sent until the returned function is called: the CLI would merge it into what it is doing. */
  hold(): () => void {
    this.#holds++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      this.advance();
    };
  }

  /** Sends the next prompt if nothing stands against it. */
  advance(): void {
    if (this.#current || this.#preparing || this.#holds > 0 || !this.#host.canSend()) return;
    const turn = this.#waiting.shift();
    if (turn) void this.#begin(turn);
    else this.#checkIdle();
  }

  /** Hands a message to the turn it belongs to, and says which that is. */
  route(message: Message, rawJson: string, at: number): { turn: string | undefined; to: Destination } {
    const before = this.#tracker;
    const step = track(before, message);
    this.#tracker = step.tracker;
    this.#reportTasks(before, message);
    const turn = this.#current;
    if (step.undecidedTo) this.#settleUndecided(step.undecidedTo);
    if (step.began && turn) this.#host.event({ type: 'turn-started', turn: turn.id });
    if (step.to === 'undecided') this.#undecided.push({ message, rawJson, at });
    else if (step.to === 'turn' && turn) turn.feed.message(message, rawJson, at);
    if (turn && step.to !== 'background') this.#armIdle(turn, message);
    if (step.ended && message.type === 'result') this.#end(turn, message);
    else this.#checkIdle();
    return { turn: step.to === 'background' ? undefined : turn?.id, to: step.to };
  }

  /** Fails the turn that runs and those that wait: nothing more will come. */
  failAll(failure: Error, waitingFailure: Error = failure): void {
    const running = this.#current;
    this.#drop();
    running?.feed.end(failure);
    for (const turn of this.#waiting.splice(0)) turn.feed.end(waitingFailure);
    this.#checkIdle();
  }

  /** The result of the running turn came, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.#current;
    if (!turn) return;
    this.#drop();
    turn.feed.end(failure);
    this.advance();
  }

  /** Resolves when no turn runs or waits and no task is open. */
  idle(): Promise<void> {
    if (this.quiet) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  async #begin(turn: AnyTurn): Promise<void> {
    this.#current = turn;
    this.#preparing = true;
    this.#watch(turn);
    try {
      this.#giveBack = await this.#host.applySettings(turn);
      if (this.#current !== turn) return;
      this.#tracker = promptSent(this.#tracker, turn.id);
      await this.#host.send(userFrame(turn.content, turn.id));
    } catch (error) {
      turn.feed.end(error instanceof Error ? error : new Error(String(error)));
      if (this.#current === turn) this.#drop();
    } finally {
      this.#preparing = false;
      if (this.#current === undefined) this.advance();
    }
  }

  /** The clocks and the signal of a turn. */
  #watch(turn: AnyTurn): void {
    const { signal, timeoutMs } = turn.options;
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#abandon(turn, new TimeoutError('timeoutMs', timeoutMs)));
    }
    if (signal === undefined) return;
    const onAbort = (): void => this.#abandon(turn, new AbortError(signal.reason));
    if (signal.aborted) queueMicrotask(onAbort);
    else signal.addEventListener('abort', onAbort, { once: true });
    this.#unlisten = () => signal.removeEventListener('abort', onAbort);
  }

  /** The idle clock starts anew with every frame, and allows for the time the CLI itself waits for the API. */
  #armIdle(turn: AnyTurn, message: Message): void {
    const { idleTimeoutMs } = turn.options;
    if (idleTimeoutMs === undefined) return;
    const retry =
      message.type === 'system' && message.subtype === 'api_retry' ? Number(message.retry_delay_ms) || 0 : 0;
    this.#timers.set('idle', idleTimeoutMs + retry, () =>
      this.#abandon(turn, new TimeoutError('idleTimeoutMs', idleTimeoutMs)),
    );
  }

  /** While a callback of ours runs, the CLI's silence is not its own. */
  pauseIdle(): void {
    this.#timers.clear('idle');
  }

  /** The caller does not want the turn any more: it is told at once, and the CLI has a moment to come back. */
  #abandon(turn: AnyTurn, error: Error): void {
    turn.feed.end(error, true);
    if (this.#current !== turn) return;
    const { interruptTimeoutMs } = this.#host.limits;
    this.#timers.clear();
    this.#timers.set('stuck', interruptTimeoutMs, () => this.#host.stuck(error));
    this.#host.interrupt().catch(() => {
      // The clock above decides; a CLI that refuses an interrupt may still end its turn.
    });
  }

  #end(turn: AnyTurn | undefined, result: Extract<Message, { type: 'result' }>): void {
    this.#release();
    turn?.feed.end();
    if (turn) this.#host.event({ type: 'turn-ended', turn: turn.id, outcome: outcomeOf(result).kind });
    this.advance();
  }

  /** The current turn is over, with or without a result. */
  #drop(): void {
    this.#tracker = turnDropped(this.#tracker);
    this.#release();
  }

  #release(): void {
    this.#current = undefined;
    this.#timers.clear();
    this.#unlisten();
    this.#unlisten = () => {};
    const giveBack = this.#giveBack;
    this.#giveBack = undefined;
    if (!giveBack || !this.#host.canSend()) return;
    const release = this.hold();
    giveBack()
      .catch(() => {
        // The CLI is leaving, or refuses its own earlier value; the next turn's settings are compared with what it says.
      })
      .finally(release);
  }

  #settleUndecided(to: 'turn' | 'background'): void {
    const held = this.#undecided;
    this.#undecided = [];
    if (to !== 'turn') return;
    for (const { message, rawJson, at } of held) this.#current?.feed.message(message, rawJson, at);
  }

  #reportTasks(before: TurnTracker, message: Message): void {
    if (before.tasks === this.#tracker.tasks || message.type !== 'system') return;
    if (message.subtype === 'task_started') this.#host.event({ type: 'task-opened', task: message.task_id });
    if (message.subtype === 'task_notification') {
      this.#host.event({ type: 'task-closed', task: message.task_id, status: message.status ?? null });
    }
  }

  #checkIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.quiet) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
