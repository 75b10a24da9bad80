import type { InterruptReceipt } from '../control/operations.ts';
import { SessionStoppedError, TurnEndedError, TurnInterruptedError, TurnQueueFullError } from '../errors/session.ts';
import { AbortError, ProcessError, TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { checkTurn } from '../options/turn.ts';
import type { Redactor } from '../redact.ts';
import type { EventBody } from '../report/events.ts';
import type { TurnRequest } from '../session/handle.ts';
import type { SessionTurn } from '../session/turn.ts';
import { currentContext, onAbort } from '../timing/caller.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import { diesNow, type Incarnation } from './incarnation.ts';
import { PartialTurn } from './partial-turn.ts';
import type { CutTurn, Replay } from './policy.ts';
import { SupervisedTurn } from './supervised-turn.ts';

type AnyTurn = SupervisedTurn<unknown>;

/** The turn that a CLI is running. */
interface Running {
  readonly turn: AnyTurn;
  readonly incarnation: Incarnation;
  readonly inner: SessionTurn<unknown>;
  readonly partial: PartialTurn;
}

/** What the turns need from their supervisor. */
export interface TurnsHost {
  readonly limits: Limits;
  readonly redact: Redactor;
  readonly replay: Replay;
  /** The CLI that may be given a prompt now. */
  taker(): Incarnation | undefined;
  /** The session is being stopped: a turn that fails does so because of that. */
  stopping(): boolean;
  /** A turn has ended without an error. */
  completed(): void;
  event(event: EventBody): void;
  warn(warning: Warning): void;
}

/** The turns of a restarting session. The CLI gets one at a time, so that its death interrupts only one. */
export class SupervisedTurns {
  readonly #host: TurnsHost;
  readonly #waiting: AnyTurn[] = [];
  #running: Running | undefined;
  #changeWaiters: (() => void)[] = [];

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  /** True when no turn runs or waits. */
  get empty(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  /** Resolves when a turn has ended, or will not be sent. */
  change(): Promise<void> {
    return new Promise((resolve) => this.#changeWaiters.push(resolve));
  }

  /** Queues a turn, unless there is a `refusal`. Never throws: the turn reports what is wrong. */
  send<T>(
    { prompt, options = {}, outputSchema, holds = this, id }: TurnRequest<T>,
    refusal: Error | undefined,
  ): SupervisedTurn<T> {
    const { problem, content } = checkTurn(prompt, options);
    const turn = new SupervisedTurn<T>(
      { id, content, options: { ...options }, inContext: currentContext(), holds },
      {
        host: {
          steer: (which, added) => this.#steer(which, added),
          interruptTurn: (which) => this.#interrupt(which),
          warn: (warned) => this.#host.warn(warned),
          redact: this.#host.redact,
        },
        outputSchema,
      },
    );
    const failure = problem ?? refusal;
    if (failure) turn.feed.end(failure);
    else this.#add(turn);
    return turn;
  }

  /** Gives the CLI the next prompt if nothing stands against it. */
  advance(): void {
    const incarnation = this.#running ? undefined : this.#host.taker();
    const turn = incarnation && this.#waiting.shift();
    if (incarnation && turn) void this.#play(turn, incarnation);
  }

  /** A message of the CLI, and the turn it belongs to. */
  observed(message: Message, rawJson: string, turn: string | undefined): void {
    const running = this.#running;
    if (running && turn === running.inner.id) running.partial.note(message, rawJson.length);
  }

  /** The waiting turns will not be sent. */
  failWaiting(failure: Error): void {
    for (const turn of this.#waiting.splice(0)) turn.drop(failure);
    this.#changed();
  }

  #add(turn: AnyTurn): void {
    const { maxWaitingTurns } = this.#host.limits;
    const { signal } = turn.options;
    if (signal?.aborted) return turn.feed.end(new AbortError(signal.reason));
    if (this.#waiting.length >= maxWaitingTurns) return turn.feed.end(new TurnQueueFullError(maxWaitingTurns));
    // Once the turn has been sent, the CLI's own session listens as well.
    const forget = onAbort(signal, () => this.#takeBack(turn, () => turn.feed.end(new AbortError(signal?.reason))));
    void turn.feed.ended.then(forget);
    this.#waiting.push(turn);
    this.advance();
  }

  async #steer(turn: AnyTurn, content: UserContent): Promise<void> {
    if (this.#running?.turn !== turn) throw new TurnEndedError();
    await this.#running.inner.steer(content);
  }

  async #interrupt(turn: AnyTurn): Promise<InterruptReceipt> {
    if (this.#running?.turn === turn) return this.#running.inner.interrupt();
    this.#takeBack(turn, () => turn.drop());
    return { stillQueued: [] };
  }

  /** Removes a turn that waits. */
  #takeBack(turn: AnyTurn, end: () => void): void {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    end();
    this.#changed();
  }

  async #play(turn: AnyTurn, incarnation: Incarnation): Promise<void> {
    const { live } = incarnation;
    const { content: prompt, options, id } = turn;
    const inner = turn.inContext(() => live.sendTurn({ prompt, options, outputSchema: undefined, holds: turn, id }));
    const running = { turn, incarnation, inner, partial: new PartialTurn(this.#host.limits.observerBytes) };
    this.#running = running;
    if (turn.interruption) this.#warnOfReplay(turn, inner);
    turn.feed.follow(inner.feed);
    const failure = await inner.feed.ended;
    const died = failure !== undefined && (await this.#isDeath(failure, incarnation));
    this.#running = undefined;
    if (died) this.#cut(running, live.failure ?? failure);
    else turn.feed.end(failure);
    if (failure === undefined) this.#host.completed();
    this.#changed();
    this.advance();
  }

  /** Whether a turn failed because its CLI is gone. A failed write reports it before the exit does. */
  async #isDeath(failure: Error, incarnation: Incarnation): Promise<boolean> {
    const fits =
      failure === incarnation.live.failure ||
      failure instanceof ProcessError ||
      failure instanceof TransportError ||
      failure instanceof SessionStoppedError;
    if (!fits || this.#host.stopping()) return false;
    return (await diesNow(incarnation)) && !this.#host.stopping();
  }

  #cut({ turn, inner, partial }: Running, cause: Error): void {
    if (!inner.sent && !partial.any) {
      this.#waiting.unshift(turn);
      return;
    }
    turn.attempts++;
    const { id, content: prompt, attempts } = turn;
    const { answered, text, messages } = partial;
    const failure = new TurnInterruptedError({ turn: id, text, messages, cause });
    const again = this.#replays({ id, prompt, attempts, answered, text, messages, cause });
    if (again) {
      turn.id = crypto.randomUUID();
      turn.interruption = failure;
      this.#waiting.unshift(turn);
    }
    this.#host.event({ type: 'turn-interrupted', turn: id, replayedAs: again ? turn.id : null });
    if (!again) turn.feed.end(failure);
  }

  /** Whether an interrupted turn is sent again. */
  #replays(cut: CutTurn): boolean {
    const { replay } = this.#host;
    if (typeof replay !== 'function') return replay === 'unanswered' && !cut.answered;
    try {
      return replay(cut) === true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const context = { turn: cut.id, message };
      this.#host.warn(warning('callback-failed', `The policy's replay() failed: ${message}`, context));
      return false;
    }
  }

  /** Marks for readers where the second attempt begins. */
  #warnOfReplay({ id, interruption }: AnyTurn, inner: SessionTurn<unknown>): void {
    const message = 'The CLI died during this turn; its prompt was sent again, under a new id.';
    const warned = warning('turn-replayed', message, { turn: id, before: interruption?.turn });
    this.#host.warn(warned);
    inner.feed.warning(warned);
  }

  #changed(): void {
    for (const resolve of this.#changeWaiters.splice(0)) resolve();
  }
}
