import type { InterruptReceipt } from '../control/operations.ts';
import { SessionStoppedError } from '../errors/control.ts';
import { AbortError, ProcessError, TransportError } from '../errors/stream.ts';
import { TurnInterruptedError } from '../errors/supervise.ts';
import { TurnEndedError, TurnQueueFullError } from '../errors/turn.ts';
import type { Limits } from '../limits.ts';
import { sendTurn } from '../session/send.ts';
import type { SessionTurn } from '../session/turn.ts';
import type { EventBody } from '../stream/events.ts';
import { onAbort } from '../stream/on-abort.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import { diesNow, type Life } from './life.ts';
import { Received } from './received.ts';
import type { SupervisedTurn } from './supervised-turn.ts';
import type { CutTurn } from './supervision.ts';

type AnyTurn = SupervisedTurn<unknown>;

/** A turn that a CLI is at. */
interface Running {
  readonly turn: AnyTurn;
  readonly life: Life;
  readonly inner: SessionTurn<unknown>;
  readonly received: Received;
}

/** What the turns need of their supervisor. */
export interface TurnsHost {
  readonly limits: Limits;
  /** The CLI that may be given a prompt now. */
  taker(): Life | undefined;
  /** The session is being stopped, so a turn that fails does so because of that. */
  stopping(): boolean;
  /** Whether a turn that was cut is sent again. */
  replays(cut: CutTurn): boolean;
  /** One has come to its end, in whichever way. */
  ended(completed: boolean): void;
  event(event: EventBody): void;
  warn(warning: Warning): void;
}

/** The turns of a supervised session: the CLI is given one at a time, so that its death costs no more than that one. */
export class SupervisedTurns {
  readonly #host: TurnsHost;
  readonly #waiting: AnyTurn[] = [];
  #running: Running | undefined;

  constructor(host: TurnsHost) {
    this.#host = host;
  }

  /** True when no turn runs or waits. */
  get empty(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  add(turn: AnyTurn): void {
    const { maxWaitingTurns } = this.#host.limits;
    const { signal } = turn.options;
    if (signal?.aborted) return turn.feed.end(new AbortError(signal.reason));
    if (this.#waiting.length >= maxWaitingTurns) return turn.feed.end(new TurnQueueFullError(maxWaitingTurns));
    // Once it has been sent, the CLI's own session listens as well.
    const forget = onAbort(signal, () => this.#takeBack(turn, () => turn.feed.end(new AbortError(signal?.reason))));
    void turn.feed.ended.then(forget);
    this.#waiting.push(turn);
    this.advance();
  }

  /** Gives the CLI the next prompt if nothing stands against it. */
  advance(): void {
    const life = this.#running ? undefined : this.#host.taker();
    const turn = life && this.#waiting.shift();
    if (life && turn) void this.#play(turn, life);
  }

  async steer(turn: AnyTurn, content: UserContent): Promise<void> {
    if (this.#running?.turn !== turn) throw new TurnEndedError();
    await this.#running.inner.steer(content);
  }

  async interrupt(turn: AnyTurn): Promise<InterruptReceipt> {
    if (this.#running?.turn === turn) return this.#running.inner.interrupt();
    this.#takeBack(turn, () => turn.drop());
    return { stillQueued: [] };
  }

  /** A message of a CLI, and the turn it belongs to. */
  observed(message: Message, rawJson: string, turn: string | undefined): void {
    const running = this.#running;
    if (running && turn === running.inner.id) running.received.note(message, rawJson.length);
  }

  /** None of those that wait will be sent. */
  failWaiting(failure: Error): void {
    for (const turn of this.#waiting.splice(0)) turn.drop(failure);
  }

  /** A turn that waits is not wanted any more. */
  #takeBack(turn: AnyTurn, end: () => void): void {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    end();
    this.#host.ended(false);
  }

  async #play(turn: AnyTurn, life: Life): Promise<void> {
    const inner = turn.inContext(() => sendTurn(life.live, turn.content, turn.options, undefined, turn, turn.id));
    const running = { turn, life, inner, received: new Received(this.#host.limits.observerBytes) };
    this.#running = running;
    if (turn.interruption) this.#tellReplay(turn, inner);
    turn.feed.follow(inner.feed);
    const failure = await inner.feed.ended;
    const died = failure !== undefined && (await this.#isDeath(failure, life));
    this.#running = undefined;
    if (died) this.#cut(running, life.live.failure ?? failure);
    else turn.feed.end(failure);
    this.#host.ended(failure === undefined);
    this.advance();
  }

  /** Whether a turn failed because its CLI is gone. A write that fails tells so before the exit does. */
  async #isDeath(failure: Error, life: Life): Promise<boolean> {
    const { live } = life;
    const fits =
      failure === live.failure ||
      failure instanceof ProcessError ||
      failure instanceof TransportError ||
      failure instanceof SessionStoppedError;
    if (!fits || this.#host.stopping()) return false;
    return (await diesNow(life)) && !this.#host.stopping();
  }

  #cut({ turn, inner, received }: Running, cause: Error): void {
    if (!inner.sent && !received.any) {
      this.#waiting.unshift(turn);
      return;
    }
    turn.attempts++;
    const { id } = turn;
    const { answered, text, messages } = received;
    const failure = new TurnInterruptedError({ turn: id, text, messages, cause });
    const again = this.#host.replays({
      ...{ id, prompt: turn.content, attempts: turn.attempts },
      ...{ answered, text, messages, cause },
    });
    if (again) {
      turn.id = crypto.randomUUID();
      turn.interruption = failure;
      this.#waiting.unshift(turn);
    }
    this.#host.event({ type: 'turn-interrupted', turn: id, replayedAs: again ? turn.id : null });
    if (!again) turn.feed.end(failure);
  }

  /** A reader has to know where the second attempt begins. */
  #tellReplay({ id, interruption }: AnyTurn, inner: SessionTurn<unknown>): void {
    const context = { turn: id, before: interruption?.turn };
    const told = warning(
      'turn-replayed',
      'The CLI died at this turn; its prompt was sent again, under a new id.',
      context,
    );
    this.#host.warn(told);
    inner.feed.warning(told);
  }
}
