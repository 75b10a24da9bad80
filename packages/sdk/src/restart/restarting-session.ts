import { steadyNow } from '../clock.ts';
import { isFinal, type LifecycleState } from '../connection/state.ts';
import type { InterruptReceipt } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { ConversationProcess } from '../conversation/conversation-process.ts';
import { CostAccount } from '../conversation/cost-ledger.ts';
import type { ProcessOwner } from '../conversation/owner-rules.ts';
import type { SessionPlan } from '../conversation/plan.ts';
import { type QueuedTurn, resumedRequest, type TurnRequest } from '../conversation/turn.ts';
import { RestartLimitError, SessionStoppedError } from '../errors/session.ts';
import { CliExitedDuringInitError } from '../errors/start.ts';
import type { AbortError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import type { RunPlan } from '../options/plan.ts';
import type { ParkedRequest } from '../park/parked-request.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { Report } from '../report/report.ts';
import type { ObservedMessage } from '../report/run-observer.ts';
import type { Pause, SessionState } from '../session/session.ts';
import type { Operation, Repetition, SessionCore } from '../session/session-core.ts';
import { reportSpent } from '../session/spent-turn.ts';
import { abortError, currentContext, onAbort } from '../timing/caller.ts';
import { Deferred, within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { ResultMessage } from '../wire/messages.ts';
import { PauseClock } from './pause-clock.ts';
import {
  AT_ONCE,
  afterDeath,
  afterTurn,
  type CheckedPolicy,
  type RestartDecision,
  type RestartState,
  untroubled,
} from './policy.ts';
import { RepeatedOperations } from './repeated-operations.ts';
import { newsFilter } from './repeated-warnings.ts';
import { RestartingQueue } from './restarting-queue.ts';
import {
  afterMessage,
  afterRefusal,
  afterStart,
  initialResumeState,
  type ResumeState,
  refusalWarnings,
  type StartMode,
  startMode,
} from './resume-state.ts';
import { processPlan, type RestartingPlans, SessionProcesses } from './session-processes.ts';

/** A session that outlives its CLI: replaces the conversation under one queue, and holds turns back while the API refuses requests. */
export class RestartingSession implements SessionCore, ProcessOwner {
  readonly #ready = new Deferred<void>();
  readonly ready: Promise<void> = this.#ready.promise;
  readonly #closed = new Deferred<ExitReport>();
  readonly closed: Promise<ExitReport> = this.#closed.promise;
  readonly policy: CheckedPolicy;
  /** Numbers the events of all CLI processes. */
  readonly report: Report;
  readonly isNews: (warning: Warning) => boolean = newsFilter();
  readonly processes: SessionProcesses;
  readonly replaces = true;
  readonly limits: Limits;
  readonly redact: Redactor;
  /** The newest CLI, which may have exited. */
  conversation: ConversationProcess;
  restarts = 0;
  stopCalled = false;
  readonly #plan: RunPlan;
  readonly #inContext = currentContext();
  readonly #account = new CostAccount();
  readonly #turns = new RestartingQueue(this);
  readonly #operations = new RepeatedOperations(this);
  readonly #pause: PauseClock;
  readonly #forgetSignal: () => void;
  #state: SessionState = 'starting';
  /** Its start mode. */
  #mode: StartMode = 'repeat';
  /** The newest CLI, once it is ready and all operations are repeated. */
  #usable: ConversationProcess | undefined;
  /** The CLI that is ended to be replaced. */
  #retired: ConversationProcess | undefined;
  #resume: ResumeState;
  #restart: RestartState = untroubled;
  #everReady = false;
  #finishedTurn = false;
  #failure: Error | undefined;
  /** How often the conversation was refused since a CLI last started with it. */
  #refusals = 0;
  /** When the last CLI that was ready died. */
  #diedAt = 0;
  #wakeUp: () => void = () => {};

  readonly parkedTurn: QueuedTurn | undefined;

  /** With a `refusal` nothing is started, and `ready` rejects with it. */
  constructor(
    { plan, planTurn, parked }: RestartingPlans,
    policy: CheckedPolicy,
    refusal: Error | undefined,
    report: Report,
  ) {
    this.#plan = plan;
    this.limits = plan.limits;
    this.redact = plan.environment.redact;
    this.policy = policy;
    this.report = report;
    this.processes = new SessionProcesses(plan, planTurn, this.#account);
    report.audience.follow({ message: (observed) => this.#observed(observed) });
    this.ready.catch(() => {});
    this.#pause = new PauseClock(policy.rateLimit, (pause) => {
      this.report.event(pause ? { type: 'paused', ...pause } : { type: 'resumed' });
      if (!pause) this.advance();
    });
    const { signal } = plan.options;
    this.#forgetSignal = onAbort(signal, () => this.#abort(abortError(signal, this.redact)));
    const aborted = signal?.aborted ? abortError(signal, this.redact) : undefined;
    const first = processPlan(plan, parked);
    this.#resume = initialResumeState(plan.options, first.sessionId);
    this.conversation = this.#open(first, refusal ?? aborted);
    this.parkedTurn = parked && this.sendTurn(resumedRequest(parked, plan.options));
    this.#run().catch((error: Error) => this.#finish({ kind: 'give-up', why: 'hopeless' }, error, NEVER_STARTED));
  }

  get id(): string | undefined {
    return this.#resume.id;
  }

  get state(): SessionState {
    return this.#state;
  }

  get stopping(): boolean {
    return this.stopCalled || isFinal(this.#state);
  }

  get paused(): Pause | undefined {
    return this.#pause.current;
  }

  /** True when a turn has ended and the conversation is on disk. */
  get forkable(): boolean {
    return (this.#finishedTurn || this.conversation.cli.finishedTurn) && startMode(this.#resume) === 'resume';
  }

  get modelToKeep(): string | undefined {
    return this.conversation.settings.modelToKeep ?? this.#operations.settings.model;
  }

  get given(): RunPlan['options'] {
    return this.#plan.options;
  }

  get waitingTurns(): readonly QueuedTurn[] {
    return this.#turns.waiting;
  }

  usable(): ConversationProcess | undefined {
    return this.#usable?.state === 'running' ? this.#usable : undefined;
  }

  /** The CLI to which a prompt can be sent now. */
  taker(): ConversationProcess | undefined {
    return this.#operations.queued > 0 || this.paused ? undefined : this.usable();
  }

  /** True when no further CLI is started because the budget is spent. */
  get exhausted(): boolean {
    return this.#state === 'ended' && !this.stopCalled && this.processes.budget.spent;
  }

  /** Ends the CLI, once it is idle, and starts another for the next turn. */
  replace(conversation: ConversationProcess): void {
    this.#retired = conversation;
    this.#usable = undefined;
    void this.#retire(conversation);
  }

  /** The result of a turn that is not sent because the budget is spent. */
  spentResult(turn: string): ResultMessage {
    const result = this.processes.budget.resultOf(turn, this.id ?? '', crypto.randomUUID());
    if (isFinal(this.#state)) return result;
    reportSpent(this.report, turn, result);
    return result;
  }

  turnCompleted(): void {
    this.#restart = afterTurn(this.#restart);
  }

  stateChanged(state: LifecycleState): void {
    if (state === 'init-sent' && this.#state === 'starting') this.#setState(state);
  }

  advance(): void {
    this.#turns.advance();
  }

  warn(warned: Warning): void {
    this.report.warn(warned);
  }

  stoppedError(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }

  ask<R>(operation: Operation<R>, options?: RequestOptions, repeat?: Repetition): Promise<R> {
    return this.#operations.ask(operation, options, repeat);
  }

  sendTurn<T>(request: TurnRequest<T>): QueuedTurn<T> {
    return this.#turns.send(request);
  }

  async interrupt(options?: RequestOptions): Promise<InterruptReceipt> {
    if (options?.signal?.aborted) throw abortError(options.signal, this.redact);
    this.#turns.interrupting();
    return this.usable()?.interrupt(options) ?? { stillQueued: [] };
  }

  idle(): Promise<void> {
    return this.#turns.idle(() => isFinal(this.#state));
  }

  async park(requestId: string): Promise<ParkedRequest> {
    // Nothing may be written to the CLI: stop() would deny the request.
    const ending = (): boolean => (this.stopCalled = true);
    const parked = await this.conversation.parking.park(requestId, ending);
    await this.closed;
    return parked;
  }

  stop(): Promise<ExitReport> {
    const before = this.stopping;
    this.stopCalled = true;
    if (before) return this.closed;
    this.#setState('stopping');
    this.#turns.failWaiting(() => this.stoppedError('The turn was not sent'));
    this.#operations.fail(this.stoppedError('The request was not sent'));
    this.#wakeUp();
    void this.conversation.stop();
    return this.closed;
  }

  async #run(): Promise<void> {
    for (;;) {
      const conversation = this.conversation;
      const exit = await conversation.closed;
      // Its turn waits again, or has ended, before the next CLI is started or the session ends.
      await this.#turns.judged;
      const decision = this.#judge(conversation);
      if (decision.kind !== 'restart') return this.#finish(decision, conversation.failure, exit);
      const cause = conversation.failure;
      const woken = new Deferred<void>();
      this.#wakeUp = woken.resolve;
      this.#setState('restarting');
      const { attempt, delayMs } = decision;
      this.report.event({ type: 'restarting', attempt, delayMs, cause: cause ? this.report.shown(cause) : null });
      // A server object of one CLI must be released before the next one can use it.
      await Promise.all([within(delayMs, woken.promise), conversation.tools?.stop()]);
      if (this.stopCalled) return this.#finish({ kind: 'end' }, cause, exit);
      if (this.#failure) return this.#finish({ kind: 'give-up', why: 'hopeless' }, this.#failure, exit);
      const needs = this.#everReady ? this.#turns.nextNeeds : undefined;
      const next = this.processes.next(needs, this.#resume, this.#operations.settings);
      this.conversation = this.#open(processPlan(next, this.#turns.nextParked));
      this.#turns.resumeFirst();
    }
  }

  async #retire(conversation: ConversationProcess): Promise<void> {
    await this.#operations.settled();
    await within(conversation.limits.backgroundWaitMs, conversation.turns.idle());
    await conversation.stop();
  }

  #open(plan: SessionPlan, refusal?: Error): ConversationProcess {
    this.#mode = startMode(this.#resume);
    const conversation = new ConversationProcess(plan, this.#inContext, {
      refusal,
      report: this.report.ofProcess(plan.run.environment.redact),
      owner: this,
      account: this.#account,
      holdsHost: true,
      advance: () => this.#turns.advance(),
    });
    conversation.ready.then(
      () => this.#onReady(conversation),
      () => {}, // `closed` reports more.
    );
    return conversation;
  }

  async #onReady(conversation: ConversationProcess): Promise<void> {
    // Operations that a dead CLI did not accept are repeated on the next one.
    const warn = (warned: Warning): void => (conversation.state === 'running' ? this.warn(warned) : undefined);
    if (this.#everReady) await this.#operations.repeat(conversation, warn);
    if (conversation.state !== 'running' || this.stopping) return;
    const first = !this.#everReady;
    this.#everReady = true;
    this.#refusals = 0;
    this.#resume = afterStart(this.#resume);
    this.#usable = conversation;
    this.#setState('running');
    const sessionId = this.id ?? null;
    if (first) {
      this.report.event({ type: 'ready', sessionId });
      this.#ready.resolve();
    } else {
      this.restarts++;
      const { attempt } = this.#restart;
      this.report.event({ type: 'restarted', attempt, sessionId, resumed: this.#mode === 'resume' });
    }
    this.#operations.ready(conversation);
    this.advance();
  }

  #judge(conversation: ConversationProcess): RestartDecision {
    const { failure } = conversation;
    this.#finishedTurn ||= conversation.cli.finishedTurn;
    this.#operations.ended(conversation.settings);
    if (this.stopCalled) return { kind: 'end' };
    const wasUsable = this.#usable !== undefined;
    const isRetired = this.#retired === conversation;
    if (wasUsable || isRetired) this.#diedAt = steadyNow();
    this.#usable = undefined;
    if (this.processes.budget.spent) return { kind: 'end' };
    if (isRetired) return AT_ONCE;
    const inInit = failure instanceof CliExitedDuringInitError;
    const words = inInit ? `${conversation.stderr.raw()}\n${conversation.cli.lastWords ?? ''}` : '';
    const told = afterRefusal(this.#resume, this.#mode, { words, diedAt: this.#diedAt, newId: crypto.randomUUID() });
    // An id that is in use before the first CLI was ready belongs to another conversation.
    const changed = typeof told === 'object' && this.#everReady;
    if (changed) {
      for (const warned of refusalWarnings(this.#resume, told)) this.warn(warned);
      this.#resume = told;
    }
    // Another start would fail in the same way.
    if (!wasUsable && !changed && this.#turns.failNext(this.processes.current.profile, failure)) return AT_ONCE;
    const { state, decision } = afterDeath(
      this.#restart,
      {
        idleExit: conversation.state === 'ended' && this.#turns.empty,
        everReady: this.#everReady,
        code: failure && 'code' in failure && typeof failure.code === 'string' ? failure.code : undefined,
        // After two refusals both modes have been tried; a CLI that still refuses is one that fails to start.
        otherWay: changed && ++this.#refusals <= 2,
        lost: told === 'lost',
      },
      { policy: this.policy.restart, now: steadyNow(), random: Math.random() },
    );
    this.#restart = state;
    return decision;
  }

  #finish(decision: RestartDecision, cause: Error | undefined, exit: ExitReport): void {
    if (decision.kind === 'give-up') {
      const restarts = this.#restart.restarts.length;
      const { windowMs } = this.policy.restart;
      this.#failure = decision.why === 'limit' || !cause ? new RestartLimitError(restarts, windowMs, cause) : cause;
      if (this.#everReady || restarts > 0) {
        this.report.event({ type: 'gave-up', restarts, cause: cause ? this.report.shown(cause) : null });
      }
    }
    const stopped = this.stoppedError('The turn was not sent');
    this.#setState(this.#failure ? 'failed' : this.stopCalled ? 'stopped' : 'ended');
    this.#forgetSignal();
    this.#pause.end();
    this.advance();
    this.#turns.failWaiting(() => (this.#everReady ? stopped : (this.#failure ?? stopped)));
    this.#operations.fail((!this.#everReady && this.#failure) || this.stoppedError('The request was not sent'));
    this.#ready.reject(this.#failure ?? this.stoppedError('The session was closed while it was starting'));
    this.report.end(this.stopCalled ? 'stopped' : 'ended', this.#failure);
    this.#closed.resolve(exit);
  }

  #observed(observed: ObservedMessage): void {
    const before = this.#resume.id;
    this.#resume = afterMessage(this.#resume, observed.message, steadyNow());
    if (before !== undefined && before !== this.#resume.id) this.processes.budget.conversationChanged();
    this.#turns.observed(observed);
    this.#pause.note(observed.message);
  }

  #abort(failure: AbortError): void {
    if (this.#everReady) return void this.stop();
    this.#failure = failure;
    this.#wakeUp();
    this.conversation.fail(this.#failure);
  }

  #setState(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.report.event({ type: 'state-changed', state });
  }
}
