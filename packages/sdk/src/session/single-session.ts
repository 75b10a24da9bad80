import type { LifecycleState } from '../connection/state.ts';
import type { InterruptReceipt } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { ConversationProcess } from '../conversation/conversation-process.ts';
import type { SessionPlan } from '../conversation/plan.ts';
import { type QueuedTurn, resumedRequest, type TurnRequest } from '../conversation/turn.ts';
import { type QueueHost, type TurnBudget, TurnQueue } from '../conversation/turn-queue.ts';
import type { Limits } from '../limits.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { ParkedRequest } from '../park/parked-request.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { Report } from '../report/report.ts';
import { currentContext } from '../timing/caller.ts';
import type { Warning } from '../warnings/warning.ts';
import { SessionBudget } from './session-budget.ts';
import type { Operation, SessionCore } from './session-core.ts';
import { reportSpent } from './spent-turn.ts';

/** A session that ends with its CLI process: one queue over one conversation. */
export class SingleSession implements SessionCore, QueueHost {
  readonly conversation: ConversationProcess;
  readonly restarts = 0;
  readonly replaces = false;
  readonly paused = undefined;
  readonly parkedTurn: QueuedTurn | undefined;
  readonly #queue = new TurnQueue(this);
  readonly budget: TurnBudget;

  /** With a `refusal` nothing is started, and `ready` rejects with it. */
  constructor(plan: SessionPlan, report: Report, refusal: Error | undefined) {
    this.conversation = new ConversationProcess(plan, currentContext(), {
      report,
      refusal,
      hasWaiting: () => this.#queue.waiting.length > 0,
      advance: () => this.#queue.advance(),
    });
    const { signal } = this.conversation.connection.ending;
    signal.addEventListener('abort', () => this.#queue.failWaiting(() => this.conversation.unsent()), { once: true });
    const { parked, given } = plan;
    const budget = new SessionBudget(given.maxBudgetUsd, this.conversation.costs.account);
    this.budget = {
      // The CLI counts from 0 after a `/clear`.
      isSpent: (content) => content !== '/clear' && budget.spent,
      spentResult: (turn) => {
        const result = budget.resultOf(turn, this.id ?? '', crypto.randomUUID());
        reportSpent(report, turn, result);
        return result;
      },
    };
    this.parkedTurn = parked && this.sendTurn(resumedRequest(parked, given));
  }

  get ready(): Promise<void> {
    return this.conversation.ready;
  }

  get closed(): Promise<ExitReport> {
    return this.conversation.closed;
  }

  get id(): string | undefined {
    return this.conversation.id;
  }

  get state(): LifecycleState {
    return this.conversation.state;
  }

  get stopping(): boolean {
    return this.conversation.connection.ending.begun;
  }

  get given(): AgentOptions {
    return this.conversation.plan.given;
  }

  get limits(): Limits {
    return this.conversation.limits;
  }

  get redact(): Redactor {
    return this.conversation.redact;
  }

  get forkable(): boolean {
    return this.conversation.forkable;
  }

  get modelToKeep(): string | undefined {
    return this.conversation.settings.modelToKeep;
  }

  get waitingTurns(): readonly QueuedTurn[] {
    return this.#queue.waiting;
  }

  ask<R>(operation: Operation<R>, options: RequestOptions = {}): Promise<R> {
    return operation.run(this.conversation, options);
  }

  sendTurn<T>(request: TurnRequest<T>): QueuedTurn<T> {
    const { ending } = this.conversation.connection;
    return this.#queue.add(request, ending.begun ? ending.stopped('The turn was not sent') : undefined);
  }

  interrupt(options?: RequestOptions): Promise<InterruptReceipt> {
    return this.conversation.interrupt(options);
  }

  idle(): Promise<void> {
    return this.#queue.idle(() => this.conversation.connection.over);
  }

  park(requestId: string): Promise<ParkedRequest> {
    return this.conversation.parking.park(requestId);
  }

  warn(warning: Warning): void {
    this.conversation.warn(warning);
  }

  stop(): Promise<ExitReport> {
    return this.conversation.stop();
  }
}
