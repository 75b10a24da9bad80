import { steadyNow } from '../clock.ts';
import type { InterruptReceipt } from '../control/answers.ts';
import { TurnCancelledError, TurnEndedError, TurnQueueFullError } from '../errors/session.ts';
import type { AbortError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { Feed } from '../stream/feed.ts';
import { Waiters } from '../stream/queue.ts';
import { abortError, onAbort } from '../timing/caller.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import { QueuedTurn, type TurnReporter, type TurnRequest } from './turn.ts';
import type { TurnRunner } from './turn-runner.ts';

/** The parts of a session that its queue uses. */
export interface QueueHost extends TurnReporter {
  readonly limits: Pick<Limits, 'bufferBytes' | 'backlogBytes' | 'maxWaitingTurns'>;
  /** The current CLI process, or the last one. */
  readonly conversation: ProcessOfTurns;
  /** For several turns on one process, whose CLI may count the budget from 0 again. */
  readonly budget?: TurnBudget | undefined;
}

/** The budget of turns. */
export interface TurnBudget {
  /** True if nothing is left for this prompt, so that it must not be sent. */
  isSpent(content: UserContent): boolean;
  /** The result of a turn that is not sent. */
  spentResult(turn: string): ResultMessage;
}

/** A CLI process, as far as turns need it. */
interface ProcessOfTurns {
  readonly turns: TurnRunner;
  /** True if the pipe can be paused for a slow reader. */
  readonly pausable: boolean;
  readonly connection: { resume(): void };
}

/** The turns of a session: one runs, the others wait in order. The one way a prompt goes out. */
export class TurnQueue {
  readonly #host: QueueHost;
  readonly #waiting: QueuedTurn[] = [];
  /** Woken when a turn has ended, or will not be sent. */
  readonly #changes = new Waiters();

  constructor(host: QueueHost) {
    this.#host = host;
  }

  /** The turns whose prompts have not been sent, in order. */
  get waiting(): readonly QueuedTurn[] {
    return this.#waiting;
  }

  /** Queues a turn, or ends it with `refusal`. `accepted` is called before it can be sent. Never throws: the turn reports errors. */
  add<T>(
    request: TurnRequest<T>,
    refusal: Error | undefined,
    accepted: (turn: QueuedTurn<T>) => void = () => {},
  ): QueuedTurn<T> {
    const host = this.#host;
    const { bufferBytes, backlogBytes, maxWaitingTurns } = host.limits;
    const feed = new Feed({
      bufferBytes,
      backlogBytes,
      pausable: () => host.conversation.pausable,
      onDrained: () => host.conversation.connection.resume(),
    });
    const turn = new QueuedTurn<T>(feed, request, this, host);
    const { signal } = turn.options;
    const aborted = signal?.aborted ? abortError(signal, host.redact) : undefined;
    const full = this.#waiting.length >= maxWaitingTurns ? new TurnQueueFullError(maxWaitingTurns) : undefined;
    const failure = request.problem ?? refusal ?? aborted ?? full;
    if (failure) {
      feed.end(failure);
      return turn;
    }
    void feed.ended.then(onAbort(signal, () => this.#abandon(turn, abortError(signal, host.redact))));
    accepted(turn);
    this.#waiting.push(turn);
    // The process resumes a parked turn when it starts.
    if (turn.parked) this.resumeFirst();
    else this.advance();
    return turn;
  }

  /** Gives the first turn to a process that is about to start, if it resumes a parked request. */
  resumeFirst(): void {
    const [turn] = this.#waiting;
    if (!turn?.parked) return;
    this.#waiting.shift();
    this.run(turn);
  }

  /** Sends the next prompt if nothing prevents it. */
  advance(): void {
    const { turns } = this.#host.conversation;
    if (this.#waiting.length === 0) return turns.nothingWaits();
    if (!turns.accepts()) return;
    const turn = this.#waiting.shift();
    if (!turn) return;
    const { budget } = this.#host;
    if (!budget?.isSpent(turn.content)) return this.run(turn);
    void this.endSpent(turn, budget);
    this.advance();
  }

  /** Ends a turn early; one that waits is withdrawn before it is sent. */
  async interrupt(turn: QueuedTurn): Promise<InterruptReceipt> {
    if (this.withdraw(turn, new TurnCancelledError())) return { stillQueued: [] };
    return this.#host.conversation.turns.interrupt(turn);
  }

  /** Adds to the prompt of a running turn. @throws OptionsError; TurnEndedError when it waits, or has ended */
  async steer(turn: QueuedTurn, content: UserContent): Promise<void> {
    if (this.#waiting.includes(turn)) throw new TurnEndedError();
    await this.#host.conversation.turns.steer(turn, content);
  }

  /** Ends a turn that waits; false when it does not wait. */
  withdraw(turn: QueuedTurn, failure: Error): boolean {
    const at = this.#waiting.indexOf(turn);
    if (at === -1) return false;
    this.#waiting.splice(at, 1);
    this.end(turn, this.unsentFailure(turn, failure));
    this.advance();
    return true;
  }

  /** The waiting turns will not be sent. */
  failWaiting(why: () => Error): void {
    for (const turn of this.#waiting.splice(0)) this.end(turn, this.unsentFailure(turn, why()));
    this.#changes.wake();
  }

  /** Resolves when no turn waits or runs and no background task is open, or when `over` returns true. */
  async idle(over: () => boolean): Promise<void> {
    while (!over()) {
      const { turns } = this.#host.conversation;
      if (this.busy) await this.#changes.wait();
      else if (!turns.quiet) await turns.idle();
      else return;
    }
  }

  /** True while a turn waits, or runs on a process that may be replaced. */
  protected get busy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Gives a turn to the process. */
  protected run(turn: QueuedTurn): void {
    this.#host.conversation.turns.run(turn, (failure) => this.ended(turn, failure));
  }

  /** A turn that was sent has ended. The runner looks for the next one after its end was reported. */
  protected ended(turn: QueuedTurn, failure: Error | undefined): void {
    this.end(turn, failure);
  }

  /** The error of a turn that waits and will not be sent. */
  protected unsentFailure(_turn: QueuedTurn, failure: Error): Error {
    return failure;
  }

  protected end(turn: QueuedTurn, failure: Error | undefined): void {
    turn.feed.end(failure);
    this.#changes.wake();
  }

  /** Ends a turn as the CLI ends it when the budget is spent. */
  protected async endSpent(turn: QueuedTurn, budget: Pick<TurnBudget, 'spentResult'>): Promise<void> {
    // Observers get the prompt first.
    await null;
    const result = budget.spentResult(turn.id);
    turn.feed.message(result, JSON.stringify(result), Date.now());
    this.end(turn, undefined);
  }

  /** Puts a turn back to the front of the queue. */
  protected putBack(turn: QueuedTurn): void {
    turn.progress = 'queued';
    turn.ranMs += steadyNow() - turn.begunAt;
    turn.sent = false;
    turn.feed.restart();
    this.#waiting.unshift(turn);
  }

  /** The first turn that waits leaves the queue without being sent. */
  protected takeFirst(): QueuedTurn | undefined {
    return this.#waiting.shift();
  }

  /** The caller abandons a turn: it fails at once. */
  #abandon(turn: QueuedTurn, error: AbortError): void {
    turn.feed.end(error, true);
    if (!this.withdraw(turn, error)) this.#host.conversation.turns.abandon(turn, error);
  }
}
