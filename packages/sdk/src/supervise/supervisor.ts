import { steadyNow } from '../clock.ts';
import type { InterruptReceipt } from '../control/operations.ts';
import { InitQueueOverflowError, SessionStoppedError } from '../errors/control.ts';
import { CliExitedDuringInitError } from '../errors/start.ts';
import { AbortError, TransportError } from '../errors/stream.ts';
import { RestartLimitError } from '../errors/supervise.ts';
import type { RunPlan } from '../launch/plan.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import { CostAccount } from '../session/cost-ledger.ts';
import type { SessionHandle } from '../session/handle.ts';
import type { Observers } from '../session/observers.ts';
import type { Pause, SessionState } from '../session/session.ts';
import type { SessionPlan } from '../session/session-plan.ts';
import type { InContext } from '../stream/async-context.ts';
import { onAbort } from '../stream/on-abort.ts';
import { Report } from '../stream/report.ts';
import { Timers } from '../stream/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import {
  type Conversation,
  conversationOf,
  heard,
  nextPlan,
  refused,
  type Takeover,
  takenUp,
  takeover,
} from './conversation.ts';
import { warningsAbout } from './conversation-warnings.ts';
import { KeptSettings } from './kept-settings.ts';
import { diesNow, isUsable, type Life, openLife } from './life.ts';
import { PauseClock } from './pause-clock.ts';
import { planLife } from './plan-life.ts';
import { afterDeath, afterTurn, type RestartDecision, type RestartState, untroubled } from './policy.ts';
import type { CutTurn, Supervision } from './supervision.ts';
import { SupervisedTurns } from './turns.ts';

/** What a supervisor starts from. */
export interface SupervisorStart {
  readonly plan: RunPlan;
  /** The plan of the first life. */
  readonly first: SessionPlan;
  /** Why nothing can be started. */
  readonly refusal: Error | undefined;
  readonly supervision: Supervision;
  readonly observers: Observers;
  readonly inContext: InContext;
}

/** Somebody who needs a CLI that is ready. */
interface Waiter {
  resolve(life: Life): void;
  reject(error: Error): void;
}

/** Keeps a session going: starts the CLI again when it dies, and holds turns back while the API asks for it. */
export class Supervisor {
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly turns: SupervisedTurns;
  readonly kept: KeptSettings = new KeptSettings();
  readonly account: CostAccount = new CostAccount();
  readonly #start: SupervisorStart;
  readonly #report: Report;
  readonly #pause: PauseClock;
  readonly #timers = new Timers<'restart'>();
  readonly #said = new Set<string>();
  readonly #forgetSignal: () => void;
  #state: SessionState = 'starting';
  /** The newest life, whether it is over or not. */
  #life: Life | undefined;
  /** The same from the moment it is as the one before it was. */
  #usable: Life | undefined;
  #conversation: Conversation;
  #restart: RestartState = untroubled;
  #everReady = false;
  #finishedTurn = false;
  #stopping = false;
  #failure: Error | undefined;
  /** How often the conversation was refused since a CLI last took it up. */
  #refusals = 0;
  /** When the last CLI that was ready died. */
  #diedAt = 0;
  #waiters: Waiter[] = [];
  #asking = 0;
  #turnWaiters: (() => void)[] = [];
  #wakeUp: () => void = () => {};
  #resolveReady: () => void = () => {};
  #rejectReady: (error: Error) => void = () => {};
  #resolveClosed: (report: ExitReport) => void = () => {};
  /** How often the CLI was started again. */
  restarts = 0;

  constructor(start: SupervisorStart) {
    this.#start = start;
    const { plan, supervision, first, observers } = start;
    this.#report = new Report(plan.options, plan.environment.redact, false);
    this.#report.listener = observers;
    this.#conversation = conversationOf(plan.options, first.sessionId);
    this.ready = new Promise((resolve, reject) => {
      this.#resolveReady = resolve;
      this.#rejectReady = reject;
    });
    this.ready.catch(() => {});
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#pause = new PauseClock(supervision.rateLimit, this.#report, () => this.turns.advance());
    this.turns = new SupervisedTurns({
      limits: plan.limits,
      taker: () => (this.#asking > 0 || this.paused || !isUsable(this.#usable) ? undefined : this.#usable),
      stopping: () => this.#stopping,
      replays: (cut) => this.#replays(cut),
      ended: (completed) => this.#turnEnded(completed),
      event: (event) => this.#report.event(event),
      warn: (warning) => this.warn(warning),
    });
    const { signal } = plan.options;
    this.#forgetSignal = onAbort(signal, () => this.#abort(signal?.reason));
    this.#run().catch((error: Error) => this.#finish({ kind: 'give-up', why: 'hopeless' }, error, NEVER_STARTED));
  }

  get id(): string | undefined {
    return this.#conversation.id;
  }

  get state(): SessionState {
    return this.#state;
  }

  get redact(): Redactor {
    return this.#start.plan.environment.redact;
  }

  get life(): Life | undefined {
    return this.#life;
  }

  get paused(): Pause | undefined {
    return this.#pause.current;
  }

  /** There is something to fork: a turn has come to its end, and the conversation is not one that has only just begun. */
  get forkable(): boolean {
    const finishedTurn = this.#finishedTurn || this.#life?.live.finishedTurn === true;
    return finishedTurn && takeover(this.#conversation) === 'resume';
  }

  get stopping(): boolean {
    return this.#stopping || this.#isFinal();
  }

  warn(warning: Warning): void {
    this.#report.warn(warning);
  }

  stoppedError(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }

  /** Asks something of the CLI as soon as there is one; until then no prompt is sent. @throws what ended the session */
  async ask<R>(run: (session: SessionHandle<unknown>) => Promise<R>): Promise<R> {
    const life = this.#usable;
    if (isUsable(life)) {
      try {
        return await run(life.session);
      } catch (error) {
        // A write that fails tells of a death before the exit does: nothing was asked.
        if (!(error instanceof TransportError) || !(await diesNow(life))) throw error;
      }
    }
    if (this.stopping) throw this.stoppedError('Nothing can be asked');
    const { maxQueuedOperations } = this.#start.plan.limits;
    if (this.#asking >= maxQueuedOperations) throw new InitQueueOverflowError(maxQueuedOperations);
    this.#asking++;
    try {
      const { session } = await new Promise<Life>((resolve, reject) => this.#waiters.push({ resolve, reject }));
      // What was asked for first is sent before the prompts that wait, but its answer is not waited for.
      return run(session);
    } finally {
      this.#asking--;
      this.turns.advance();
    }
  }

  async interrupt(): Promise<InterruptReceipt> {
    // Without a CLI there is nothing to interrupt.
    return isUsable(this.#usable) ? this.#usable.session.interrupt() : { stillQueued: [] };
  }

  /** Resolves when no turn runs or waits and no background task is open. */
  async idle(): Promise<void> {
    while (!this.#isFinal()) {
      const live = this.#usable?.live;
      if (!this.turns.empty) await new Promise<void>((resolve) => this.#turnWaiters.push(resolve));
      else if (live && !live.turns.quiet) await live.turns.idle();
      else return;
    }
  }

  /** Ends the session; resolves when the process is gone. */
  stop(): Promise<ExitReport> {
    if (this.stopping) return this.closed;
    this.#stopping = true;
    this.#setState('stopping');
    this.turns.failWaiting(this.stoppedError('The turn was not sent'));
    this.#rejectWaiters(this.stoppedError('Nothing can be asked'));
    this.#wakeUp();
    void this.#life?.live.stop();
    return this.closed;
  }

  /** One life after the other. */
  async #run(): Promise<void> {
    const { plan, first, refusal } = this.#start;
    const { signal } = plan.options;
    const aborted = signal?.aborted ? new AbortError(signal.reason) : undefined;
    let life = this.#open(first, takeover(this.#conversation), refusal ?? aborted);
    for (;;) {
      const exit = await life.live.closed;
      const decision = this.#judge(life);
      if (decision.kind !== 'restart') return this.#finish(decision, life.live.failure, exit);
      const cause = life.live.failure;
      this.#setState('restarting');
      const { attempt, delayMs } = decision;
      this.#report.event({ type: 'restarting', attempt, delayMs, cause: cause ? this.#report.shown(cause) : null });
      // A server object that one life had must be free before the next one can have it.
      await Promise.all([this.#sleep(delayMs), life.live.answering.tools?.stop()]);
      if (this.#stopping) return this.#finish({ kind: 'end' }, cause, exit);
      if (this.#failure) return this.#finish({ kind: 'give-up', why: 'hopeless' }, this.#failure, exit);
      const how = takeover(this.#conversation);
      life = this.#open(planLife(nextPlan(plan, this.#conversation, how, this.kept.settings)), how);
    }
  }

  #open(plan: SessionPlan, how: Takeover, refusal?: Error): Life {
    const { inContext, observers } = this.#start;
    const watch = {
      report: this.#report,
      observers,
      state: (state: SessionState) => {
        if (state === 'init-sent' && this.#state === 'starting') this.#setState(state);
      },
      message: (message: Message, rawJson: string, turn: string | undefined) => {
        this.#conversation = heard(this.#conversation, message, steadyNow());
        this.turns.observed(message, rawJson, turn);
        this.#pause.note(message);
      },
    };
    const life = openLife(plan, how, { inContext, watch, account: this.account, said: this.#said }, refusal);
    this.#life = life;
    life.live.ready.then(
      () => this.#onReady(life),
      () => {}, // Its end says more.
    );
    return life;
  }

  async #onReady(life: Life): Promise<void> {
    // What a CLI that has died did not take, the next one is asked.
    const warn = (warning: Warning): void => (isUsable(life) ? this.warn(warning) : undefined);
    if (this.#everReady) await this.kept.restore(life.session, warn);
    if (!isUsable(life) || this.stopping) return;
    const first = !this.#everReady;
    this.#everReady = true;
    this.#refusals = 0;
    this.#conversation = takenUp(this.#conversation);
    this.#usable = life;
    this.#setState('running');
    const sessionId = this.id ?? null;
    if (first) {
      this.#report.event({ type: 'ready', sessionId });
      this.#resolveReady();
    } else {
      this.restarts++;
      const { attempt } = this.#restart;
      this.#report.event({ type: 'restarted', attempt, sessionId, resumed: life.how === 'resume' });
    }
    for (const waiter of this.#waiters.splice(0)) waiter.resolve(life);
    this.turns.advance();
  }

  #judge({ live, how }: Life): RestartDecision {
    const { failure } = live;
    this.#finishedTurn ||= live.finishedTurn;
    this.kept.lifeEnds(live.settings);
    if (this.#stopping) return { kind: 'end' };
    const words = failure instanceof CliExitedDuringInitError ? `${live.stderr.raw()}\n${live.lastWords ?? ''}` : '';
    if (this.#usable) this.#diedAt = steadyNow();
    this.#usable = undefined;
    const told = refused(this.#conversation, how, { words, diedAt: this.#diedAt, newId: crypto.randomUUID() });
    // An id that is in use before the first CLI was ready is the id of another conversation.
    const changed = typeof told === 'object' && this.#everReady;
    if (changed) this.#takeOtherWay(told);
    // Two refusals tell all there is to know; a CLI that goes on refusing is one that fails to start.
    const otherWay = changed && ++this.#refusals <= 2;
    const { state, decision } = afterDeath(
      this.#restart,
      {
        idleExit: live.state === 'ended' && this.turns.empty,
        everReady: this.#everReady,
        code: codeOf(failure),
        otherWay,
        lost: told === 'lost',
      },
      { policy: this.#start.supervision.restart, now: steadyNow(), random: Math.random() },
    );
    this.#restart = state;
    return decision;
  }

  #takeOtherWay(told: Conversation): void {
    for (const warned of warningsAbout(this.#conversation, told)) this.warn(warned);
    this.#conversation = told;
  }

  #finish(decision: RestartDecision, cause: Error | undefined, exit: ExitReport): void {
    const { observers, supervision } = this.#start;
    if (decision.kind === 'give-up') {
      const restarts = this.#restart.restarts.length;
      const { windowMs } = supervision.restart;
      this.#failure = decision.why === 'limit' || !cause ? new RestartLimitError(restarts, windowMs, cause) : cause;
      if (this.#everReady || restarts > 0) {
        this.#report.event({ type: 'gave-up', restarts, cause: cause ? this.#report.shown(cause) : null });
      }
    }
    const stopped = this.stoppedError('The turn was not sent');
    this.#setState(this.#failure ? 'failed' : this.#stopping ? 'stopped' : 'ended');
    this.#forgetSignal();
    this.#pause.end();
    this.turns.failWaiting(this.#everReady ? stopped : (this.#failure ?? stopped));
    this.#rejectWaiters((!this.#everReady && this.#failure) || this.stoppedError('Nothing can be asked'));
    this.#rejectReady(this.#failure ?? this.stoppedError('The session was stopped while it was starting'));
    this.#report.end(this.#stopping ? 'stopped' : 'ended', this.#failure);
    observers.end();
    this.#turnEnded(false);
    this.#resolveClosed(exit);
  }

  #abort(reason: unknown): void {
    if (this.#everReady) return void this.stop();
    this.#failure = new AbortError(reason);
    this.#wakeUp();
    this.#life?.live.fail(this.#failure);
  }

  #replays(cut: CutTurn): boolean {
    const { replay } = this.#start.supervision;
    if (typeof replay !== 'function') return replay === 'unanswered' && !cut.answered;
    try {
      return replay(cut) === true;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.warn(warning('callback-failed', `The policy's replay() failed: ${message}`, { turn: cut.id, message }));
      return false;
    }
  }

  #turnEnded(completed: boolean): void {
    if (completed) this.#restart = afterTurn(this.#restart);
    for (const look of this.#turnWaiters.splice(0)) look();
  }

  #rejectWaiters(error: Error): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  /** Waits, unless there is nothing to wait for any more. */
  #sleep(ms: number): Promise<void> {
    if (this.#stopping || this.#failure) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wakeUp = () => {
        this.#timers.clear();
        resolve();
      };
      this.#timers.set('restart', ms, resolve);
    });
  }

  #setState(state: SessionState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#report.event({ type: 'state-changed', state });
  }

  #isFinal(): boolean {
    return this.#state === 'stopped' || this.#state === 'ended' || this.#state === 'failed';
  }
}

function codeOf(failure: Error | undefined): string | undefined {
  return failure && 'code' in failure && typeof failure.code === 'string' ? failure.code : undefined;
}
