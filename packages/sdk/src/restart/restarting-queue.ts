import type { InterruptReceipt } from '../control/answers.ts';
import type { ConversationProcess } from '../conversation/conversation-process.ts';
import type { QueuedTurn, TurnRequest } from '../conversation/turn.ts';
import { type QueueHost, TurnQueue } from '../conversation/turn-queue.ts';
import { reasonOf } from '../errors/base.ts';
import { OptionsError } from '../errors/options.ts';
import { ParkedRequestError } from '../errors/park.ts';
import { SessionStoppedError, TurnCancelledError, TurnInterruptedError } from '../errors/session.ts';
import { ProcessError, TransportError } from '../errors/stream.ts';
import type { ResumedRequest } from '../park/parked-request.ts';
import type { EventBody } from '../report/events.ts';
import type { ObservedMessage } from '../report/run-observer.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { ResultMessage, UserContent } from '../wire/messages.ts';
import { PartialTurn } from './partial-turn.ts';
import type { CheckedPolicy, InterruptedTurn } from './policy.ts';
import type { ProcessNeeds, SessionProcesses } from './session-processes.ts';

/** The parts of a restarting session that its turns use. */
export interface RestartingQueueHost extends QueueHost {
  readonly conversation: ConversationProcess;
  readonly processes: SessionProcesses;
  readonly policy: CheckedPolicy;
  readonly report: { event(event: EventBody): void; warn(warning: Warning): Warning };
  readonly stopping: boolean;
  readonly stopCalled: boolean;
  /** True when no further CLI is started because the budget is spent. */
  readonly exhausted: boolean;
  /** The CLI to which a prompt can be sent now. */
  taker(): ConversationProcess | undefined;
  /** Ends the CLI, once it is idle, and starts another for the next turn. */
  replace(conversation: ConversationProcess): void;
  /** The result of a turn that is not sent because the budget is spent. */
  spentResult(turn: string): ResultMessage;
  turnCompleted(): void;
  stoppedError(what: string): Error;
}

/** The data of a turn beyond one CLI. */
interface Attempts {
  /** The start options that its CLI needs. */
  readonly needs: ProcessNeeds;
  count: number;
  /** The death of a CLI during the last attempt. */
  interruption: TurnInterruptedError | undefined;
  /** The caller has interrupted it while it ran: it is not sent again. */
  unwanted: boolean;
  /** A CLI resumed it after its permission request. */
  resumed: boolean;
}

/** The turns of a restarting session. The CLI gets one at a time, so that its death interrupts only one. */
export class RestartingQueue extends TurnQueue {
  readonly #host: RestartingQueueHost;
  readonly #attempts = new WeakMap<QueuedTurn, Attempts>();
  #running:
    | { readonly turn: QueuedTurn; readonly conversation: ConversationProcess; readonly partial: PartialTurn }
    | undefined;
  #judged: Promise<void> = Promise.resolve();

  constructor(host: RestartingQueueHost) {
    super(host);
    this.#host = host;
  }

  get empty(): boolean {
    return !this.busy;
  }

  /** Resolves when the outcome of the turn that an exited CLI has interrupted is decided. Never rejects. */
  get judged(): Promise<void> {
    return this.#judged;
  }

  /** The parked request that the next turn resumes. */
  get nextParked(): ResumedRequest | undefined {
    return this.waiting[0]?.parked;
  }

  /** The start options that the CLI of the next turn needs. */
  get nextNeeds(): ProcessNeeds | undefined {
    const [turn] = this.waiting;
    return turn && this.#attempts.get(turn)?.needs;
  }

  /** Queues a turn. Never throws: the turn reports errors. */
  send<T>(request: TurnRequest<T>): QueuedTurn<T> {
    const { processes } = this.#host;
    const found = processes.needsOf(request);
    const refused = found instanceof OptionsError;
    const needs = refused ? processes.current : found;
    const refusal = (refused ? found : undefined) ?? this.#refusalOf(request.content);
    return this.add(request, refusal, (turn) =>
      this.#attempts.set(turn, {
        needs,
        count: 0,
        interruption: undefined,
        unwanted: false,
        resumed: turn.parked !== undefined,
      }),
    );
  }

  override advance(): void {
    const host = this.#host;
    if (host.exhausted)
      for (let turn = this.takeFirst(); turn; turn = this.takeFirst()) void this.endSpent(turn, this.#host);
    const [turn] = this.waiting;
    const conversation = this.#running || turn?.parked ? undefined : host.taker();
    if (!turn) return host.conversation.turns.nothingWaits();
    if (!conversation) return;
    const needs = this.#attempts.get(turn)?.needs ?? host.processes.current;
    const readiness = host.processes.readinessOf({ content: turn.content, needs });
    if (readiness === 'replace') return host.replace(conversation);
    if (readiness === 'ready') return super.advance();
    this.takeFirst();
    void this.endSpent(turn, this.#host);
    this.advance();
  }

  override interrupt(turn: QueuedTurn): Promise<InterruptReceipt> {
    if (this.#running?.turn === turn) this.interrupting();
    return super.interrupt(turn);
  }

  /** The caller interrupts the running turn. Its CLI may die because of that, or may already be dead. */
  interrupting(): void {
    const attempts = this.#running && this.#attempts.get(this.#running.turn);
    if (attempts) attempts.unwanted = true;
  }

  /** A message of the CLI, and the turn it belongs to. */
  observed({ message, rawJson, turn }: ObservedMessage): void {
    const running = this.#running;
    if (running && turn === running.turn.id) running.partial.note(message, rawJson.length);
  }

  /** The CLI for the next turn, which has options of this profile, did not start; false when no turn has asked for it. */
  failNext(profile: string, failure: Error | undefined): boolean {
    if (profile === '') return false;
    const [turn] = this.waiting;
    if (turn && this.nextNeeds?.profile === profile) {
      this.withdraw(turn, failure ?? this.#host.stoppedError('The turn was not sent'));
    }
    return true;
  }

  protected override get busy(): boolean {
    return super.busy || this.#running !== undefined;
  }

  protected override run(turn: QueuedTurn): void {
    const { conversation, report } = this.#host;
    this.#running = { turn, conversation, partial: new PartialTurn(conversation.limits.observerBytes) };
    super.run(turn);
    const interruption = this.#attempts.get(turn)?.interruption;
    if (!interruption) return;
    // Marks for readers where the second attempt begins.
    const message = 'The CLI died during this turn; its prompt was sent again, under a new id.';
    turn.feed.warning(report.warn(warning('turn-replayed', message, { turn: turn.id, before: interruption.turn })));
  }

  protected override unsentFailure(turn: QueuedTurn, failure: Error): Error {
    return this.#attempts.get(turn)?.interruption ?? failure;
  }

  protected override ended(turn: QueuedTurn, failure: Error | undefined): void {
    if (failure) {
      this.#judged = this.#judge(turn, failure);
      return;
    }
    this.#running = undefined;
    this.end(turn, undefined);
    this.#host.turnCompleted();
  }

  /** Decides whether a turn has failed, or is sent again because its CLI has died. */
  async #judge(turn: QueuedTurn, failure: Error): Promise<void> {
    const running = this.#running;
    const died = running !== undefined && (await this.#isDeath(failure, running.conversation));
    this.#running = undefined;
    // The caller may have abandoned it meanwhile.
    if (died && (await this.#asksAgain(turn, running.conversation))) return;
    if (died && !turn.feed.hasEnded) this.#interrupted(turn, running.partial, running.conversation.failure ?? failure);
    else this.end(turn, failure);
    this.advance();
  }

  #refusalOf(content: UserContent): Error | undefined {
    const { stopping, exhausted } = this.#host;
    // The CLI would answer a prompt with the spent budget, and obey a clear().
    const answers = exhausted && content !== '/clear';
    return stopping && !answers ? this.#host.stoppedError('The turn was not sent') : undefined;
  }

  /** Whether a turn failed because its CLI has exited. A failed write reports it before the exit does. */
  async #isDeath(failure: Error, { failure: reason, connection }: ConversationProcess): Promise<boolean> {
    const fits =
      failure === reason ||
      failure instanceof ProcessError ||
      failure instanceof TransportError ||
      failure instanceof SessionStoppedError;
    // While the session is being stopped, a turn fails because of that.
    if (!fits || this.#host.stopCalled) return false;
    return (await connection.exitsNow()) && !this.#host.stopCalled;
  }

  /** Whether the next CLI repeats the permission request of the dead one. */
  async #asksAgain(turn: QueuedTurn, { parking, closed, failure }: ConversationProcess): Promise<boolean> {
    const isFinal = failure instanceof ParkedRequestError && failure.problem !== 'unguarded';
    if (isFinal || (!parking.requestWaited && turn.parked === undefined)) return false;
    // Everything that can be stored is stored now.
    await closed;
    if (turn.feed.hasEnded) return false;
    const { left, askedAgain } = parking;
    const parked = left ?? (askedAgain?.claimed === false ? turn.parked : undefined);
    turn.parked = parked;
    const attempts = this.#attempts.get(turn);
    if (parked === undefined || attempts === undefined || attempts.unwanted) return false;
    attempts.resumed = true;
    const { toolName: tool, toolUseId } = parked.request;
    const message = 'The CLI died while a permission request was waiting; another CLI asks for it again.';
    turn.feed.warning(
      this.#host.report.warn(warning('permission-repeated', message, { turn: turn.id, tool, toolUseId })),
    );
    this.putBack(turn);
    return true;
  }

  #interrupted(turn: QueuedTurn, partial: PartialTurn, cause: Error): void {
    const attempts = this.#attempts.get(turn);
    if (!attempts) return;
    if (!turn.sent && !partial.any)
      return attempts.unwanted ? this.end(turn, new TurnCancelledError()) : this.putBack(turn);
    attempts.count++;
    const { id, content: prompt } = turn;
    const { answered, text, messages } = partial;
    const failure = new TurnInterruptedError({ turn: id, text, messages, cause });
    const interrupted = {
      id,
      prompt,
      attempts: attempts.count,
      answered: answered || attempts.resumed,
      text,
      messages,
      cause,
    };
    const again = !attempts.unwanted && this.#replays(interrupted);
    if (again) {
      turn.id = crypto.randomUUID();
      attempts.interruption = failure;
      this.putBack(turn);
    }
    this.#host.report.event({ type: 'turn-interrupted', turn: id, replayedAs: again ? turn.id : null });
    if (!again) this.end(turn, failure);
  }

  #replays(interrupted: InterruptedTurn): boolean {
    const { replay } = this.#host.policy;
    if (typeof replay !== 'function') return replay === 'unanswered' && !interrupted.answered;
    try {
      return replay(interrupted) === true;
    } catch (error) {
      const message = reasonOf(error);
      const context = { turn: interrupted.id, message };
      this.#host.report.warn(warning('callback-failed', `The policy's replay() failed: ${message}`, context));
      return false;
    }
  }
}
