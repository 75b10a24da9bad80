import type { InterruptReceipt } from '../control/operations.ts';
import { reasonOf } from '../errors/base.ts';
import { OptionsError } from '../errors/options.ts';
import { SessionStoppedError, TurnCancelledError, TurnEndedError, TurnInterruptedError } from '../errors/session.ts';
import { ProcessError, TransportError } from '../errors/stream.ts';
import type { ObservedMessage } from '../report/run-observer.ts';
import type { LiveSession } from '../session/live.ts';
import { enqueue, type SessionTurn, type TurnRequest, TurnStream } from '../session/turn.ts';
import { feedOf } from '../stream/feed.ts';
import { FollowingFeed } from '../stream/following-feed.ts';
import { Waiters } from '../stream/queue.ts';
import { warning } from '../warnings/warning.ts';
import type { UserContent } from '../wire/messages.ts';
import { diesNow } from './incarnation.ts';
import { PartialTurn } from './partial-turn.ts';
import type { CutTurn } from './policy.ts';
import type { ProcessNeeds } from './session-processes.ts';
import type { Supervisor } from './supervisor.ts';

type AnyTurn = SupervisedTurn<unknown>;

/** A turn that outlives the CLI it was sent to. Its id changes with each attempt: the CLI does not take the same twice. */
class SupervisedTurn<T> extends TurnStream<T, FollowingFeed> {
  attempts = 0;
  /** What its CLI must be started with. */
  readonly needs: ProcessNeeds;
  interruption: TurnInterruptedError | undefined;

  constructor(needs: ProcessNeeds, ...parts: ConstructorParameters<typeof TurnStream<T, FollowingFeed>>) {
    super(...parts);
    this.needs = needs;
  }
}

interface Running {
  readonly turn: AnyTurn;
  readonly inner: SessionTurn<unknown>;
  readonly partial: PartialTurn;
}

/** The turns of a restarting session. The CLI gets one at a time, so that its death interrupts only one. */
export class SupervisedTurns {
  readonly #supervisor: Supervisor;
  readonly #waiting: AnyTurn[] = [];
  #running: Running | undefined;
  /** Woken when a turn has ended, or will not be sent. */
  readonly changes: Waiters = new Waiters();

  constructor(supervisor: Supervisor) {
    this.#supervisor = supervisor;
  }

  get waiting(): readonly AnyTurn[] {
    return this.#waiting;
  }

  get empty(): boolean {
    return this.#running === undefined && this.#waiting.length === 0;
  }

  /** Queues a turn. Never throws: the turn reports what is wrong. */
  send<T>(request: TurnRequest<T>): SupervisedTurn<T> {
    const supervisor = this.#supervisor;
    const { live, report } = supervisor;
    const found = supervisor.processes.needsOf(request);
    const refused = found instanceof OptionsError;
    const needs = refused ? supervisor.processes.current : found;
    const turn = new SupervisedTurn<T>(needs, new FollowingFeed(), request, this, { redact: live.redact, report });
    enqueue(this.#waiting, turn, {
      refusal: request.problem ?? (refused ? found : undefined) ?? this.#refusalOf(request.content),
      limit: live.limits.maxWaitingTurns,
      // Once the turn has been sent, the CLI's own session listens as well.
      abort: (error) => this.#takeBack(turn, error),
    });
    this.advance();
    return turn;
  }

  async steer(turn: AnyTurn, content: UserContent): Promise<void> {
    if (this.#running?.turn !== turn) throw new TurnEndedError();
    await this.#running.inner.steer(content);
  }

  async interrupt(turn: AnyTurn): Promise<InterruptReceipt> {
    if (this.#running?.turn === turn) return this.#running.inner.interrupt();
    this.#takeBack(turn, turn.interruption ?? new TurnCancelledError());
    return { stillQueued: [] };
  }

  /** Gives the CLI the next prompt if nothing stands against it. */
  advance(): void {
    const supervisor = this.#supervisor;
    if (supervisor.exhausted) for (const turn of this.#waiting.splice(0)) void this.#endSpent(turn);
    const live = this.#running ? undefined : supervisor.taker();
    const [turn] = this.#waiting;
    if (!live || !turn) return;
    const readiness = supervisor.processes.readinessOf(turn);
    if (readiness === 'replace') return supervisor.replace(live);
    this.#waiting.shift();
    if (readiness === 'ready') return void this.#play(turn, live);
    void this.#endSpent(turn);
    this.advance();
  }

  /** A message of the CLI, and the turn it belongs to. */
  observed({ message, rawJson, turn }: ObservedMessage): void {
    const running = this.#running;
    if (running && turn === running.inner.id) running.partial.note(message, rawJson.length);
  }

  /** The CLI for the next turn, which has options of this profile, did not start; false when no turn has asked for it. */
  failNext(profile: string, failure: Error | undefined): boolean {
    if (profile === '') return false;
    const [turn] = this.#waiting;
    if (turn?.needs.profile === profile) {
      this.#takeBack(turn, turn.interruption ?? failure ?? this.#supervisor.stoppedError('The turn was not sent'));
    }
    return true;
  }

  /** The waiting turns will not be sent. */
  failWaiting(failure: Error): void {
    for (const turn of this.#waiting.splice(0)) turn.feed.end(turn.interruption ?? failure);
    this.changes.wake();
  }

  #refusalOf(content: UserContent): Error | undefined {
    const { stopping, exhausted } = this.#supervisor;
    // The CLI would answer a prompt with the spent budget, and obey a clear().
    const answers = exhausted && content !== '/clear';
    return stopping && !answers ? this.#supervisor.stoppedError('The turn was not sent') : undefined;
  }

  /** Ends a turn as the CLI ends it when the budget is spent. */
  async #endSpent(turn: AnyTurn): Promise<void> {
    // Observers get the prompt first.
    await null;
    const result = this.#supervisor.spentResult(turn.id);
    turn.feed.follow(feedOf(result));
    turn.feed.end();
    this.changes.wake();
  }

  #takeBack(turn: AnyTurn, failure: Error): void {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return;
    this.#waiting.splice(at, 1);
    turn.feed.end(failure);
    this.changes.wake();
  }

  async #play(turn: AnyTurn, live: LiveSession): Promise<void> {
    const { id, content, options, inContext } = turn;
    const inner = live.sendTurn({ id, content, options, outputSchema: undefined, inContext, holds: turn });
    const running = { turn, inner, partial: new PartialTurn(live.limits.observerBytes) };
    this.#running = running;
    turn.progress = 'running';
    if (turn.interruption) {
      // Marks for readers where the second attempt begins.
      const message = 'The CLI died during this turn; its prompt was sent again, under a new id.';
      const warned = warning('turn-replayed', message, { turn: id, before: turn.interruption.turn });
      this.#supervisor.warn(warned);
      inner.feed.warning(warned);
    }
    turn.feed.follow(inner.feed);
    const failure = await inner.feed.ended;
    const died = failure !== undefined && (await this.#isDeath(failure, live));
    this.#running = undefined;
    if (died) this.#cut(running, live.failure ?? failure);
    else turn.feed.end(failure);
    if (failure === undefined) this.#supervisor.turnCompleted();
    this.changes.wake();
    this.advance();
  }

  /** Whether a turn failed because its CLI is gone. A failed write reports it before the exit does. */
  async #isDeath(failure: Error, live: LiveSession): Promise<boolean> {
    const fits =
      failure === live.failure ||
      failure instanceof ProcessError ||
      failure instanceof TransportError ||
      failure instanceof SessionStoppedError;
    // While the session is being stopped, a turn fails because of that.
    if (!fits || this.#supervisor.stopCalled) return false;
    return (await diesNow(live)) && !this.#supervisor.stopCalled;
  }

  #cut({ turn, inner, partial }: Running, cause: Error): void {
    if (!inner.sent && !partial.any) return this.#sendAgain(turn);
    turn.attempts++;
    const { id, content: prompt, attempts } = turn;
    const { answered, text, messages } = partial;
    const failure = new TurnInterruptedError({ turn: id, text, messages, cause });
    const again = this.#replays({ id, prompt, attempts, answered, text, messages, cause });
    if (again) {
      turn.id = crypto.randomUUID();
      turn.interruption = failure;
      this.#sendAgain(turn);
    }
    this.#supervisor.report.event({ type: 'turn-interrupted', turn: id, replayedAs: again ? turn.id : null });
    if (!again) turn.feed.end(failure);
  }

  #sendAgain(turn: AnyTurn): void {
    turn.progress = 'queued';
    this.#waiting.unshift(turn);
  }

  #replays(cut: CutTurn): boolean {
    const { replay } = this.#supervisor.supervision;
    if (typeof replay !== 'function') return replay === 'unanswered' && !cut.answered;
    try {
      return replay(cut) === true;
    } catch (error) {
      const message = reasonOf(error);
      const context = { turn: cut.id, message };
      this.#supervisor.warn(warning('callback-failed', `The policy's replay() failed: ${message}`, context));
      return false;
    }
  }
}
