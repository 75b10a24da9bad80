import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import { errorOf } from '../errors/base.ts';
import { OptionsError } from '../errors/options.ts';
import { type PlainError, plainError } from '../errors/redacted.ts';
import { ControlTimeoutError, NoSuchPermissionError, SessionUnhealthyError } from '../errors/session.ts';
import { CliExitedDuringInitError } from '../errors/start.ts';
import { NO_CONVERSATION } from '../messages/outcome.ts';
import { NO_COST } from '../messages/turn-cost.ts';
import { type OptionLayer, ownLayer } from '../options/option-layer.ts';
import type { EventBody } from '../report/events.ts';
import type { ObservedSlot, RunObserver } from '../report/run-observer.ts';
import { openPlainSession } from '../restart/open-session.ts';
import type { PauseClock } from '../restart/pause-clock.ts';
import type { SessionHandle } from '../session/handle.ts';
import type { Session } from '../session/session.ts';
import { type InContext, onAbort } from '../timing/caller.ts';
import { within } from '../timing/timers.ts';
import type { ResultMessage } from '../wire/messages.ts';
import type { JobHandle, TurnEnd } from './job.ts';
import { type KeyBudget, processBudget, spentResult } from './key-budget.ts';
import type { KeyStates } from './key-states.ts';
import {
  conversationBudget,
  directoryOf,
  ownOptions,
  type PoolPlan,
  type SessionParts,
  sessionLayers,
} from './options.ts';
import type { EvictReason, PoolEventBody } from './pool-events.ts';
import type { SlotEvent, StopReason } from './scheduler.ts';

/** The parts of a pool that its sessions use. */
export interface PooledSessionDeps {
  readonly plan: PoolPlan;
  readonly keys: KeyStates;
  /** Reports an event of the pool. */
  emit(event: PoolEventBody): void;
  readonly pause: PauseClock;
  /** The observers of the pool, besides those in the options. */
  readonly observers: ReadonlySet<RunObserver>;
  /** The async context in which the pool was created. */
  readonly inContext: InContext;
  dispatch(event: SlotEvent): void;
  /** A prewarmed session has started. */
  prewarmed(): void;
}

/** The session in a slot, from the start of its process to its exit. */
export class PooledSession {
  /** Its place, as observers see it. The key is `null` without one, or before a job adopts the session. */
  readonly place: ObservedSlot;
  #key: string | null = null;
  readonly #prewarmed: boolean;
  readonly #deps: PooledSessionDeps;
  #session: SessionHandle<unknown> | undefined;
  #resumed = false;
  #cwd = '';
  /** The process has a part of the budget of its key. */
  #budgeted = false;
  /** The conversation that its last turn was in. */
  #conversation: string | undefined;
  /** The CLI counts from 0 again, because its conversation was cleared: it may spend more than what is left. */
  #outdated = false;
  /** The job that runs, or waits for the session to start. */
  #job: JobHandle | undefined;
  #lastJob: JobHandle | undefined;
  #stopListeningForAbort: () => void = () => {};
  /** The job during which each unanswered permission was requested. */
  readonly #jobOfPermission = new Map<string, string | null>();
  #running: Promise<void> = Promise.resolve();
  #idleTimer: NodeJS.Timeout | undefined;
  #started = false;
  #stopping = false;
  #failed = false;
  #checking = false;

  constructor(slot: number, prewarmed: boolean, deps: PooledSessionDeps) {
    const key = (): string | null => this.#key;
    this.place = Object.freeze({
      slot,
      get key() {
        return key();
      },
    });
    this.#prewarmed = prewarmed;
    this.#deps = deps;
  }

  /** Starts the process, for a job or ahead of one, and resolves when it has exited. Never rejects. */
  async run(first: JobHandle | undefined): Promise<void> {
    const { slot } = this.place;
    if (first) this.take(first);
    try {
      const session = await this.#start(first).finally(() => this.#stopListeningForAbort());
      if (!session) return;
      this.#started = true;
      this.#emitStarted(session);
      if (FINAL.has(session.state)) this.#deps.dispatch({ type: 'sick', slot });
      this.#deps.dispatch({ type: 'ready', slot });
      if (this.#job) this.#running = this.#runJob(this.#job, session);
      else if (this.#lastJob) this.#deps.dispatch({ type: 'settled', slot });
      await session.closed;
    } catch (error) {
      const failure = errorOf(error);
      this.#emitFailed(plainError(failure));
      this.#deps.dispatch({ type: 'sick', slot });
      if (this.#job) this.#job.failure ??= failure;
      this.#endJob(true);
      await this.#session?.closed;
    }
    await this.#running;
    if (this.#key !== null) this.#deps.keys.spend(this.#key, this.#session?.cost().costUsd ?? 0);
    clearTimeout(this.#idleTimer);
    this.#deps.emit({ type: 'session-ended', ...this.place });
  }

  /** Runs a job; before the session has started, the job waits for it. */
  take(job: JobHandle): void {
    clearTimeout(this.#idleTimer);
    this.#job = job;
    this.#lastJob = job;
    this.#key = job.key ?? null;
    // A key that adopts a prewarmed process has no own options.
    if (this.#prewarmed) this.#budgetOf(undefined);
    if (this.#started && this.#session) this.#running = this.#runJob(job, this.#session);
    // When it is cancelled, the session keeps starting: the next job of its key can use it.
    else this.#stopListeningForAbort = onAbort(job.signal, () => this.#endJob(false));
  }

  /** Starts the idle timeout. */
  rest(): void {
    clearTimeout(this.#idleTimer);
    const expire = (): void => this.#deps.dispatch({ type: 'expired', slot: this.place.slot });
    // The CLI process keeps the host process alive, not the timer.
    this.#idleTimer = setTimeout(expire, this.#deps.plan.idleMs).unref();
  }

  /** Closes the session. */
  stop(why: StopReason): void {
    clearTimeout(this.#idleTimer);
    // The failure of an unhealthy session is still reported.
    this.#stopping = why !== 'sick';
    const evicted = EVICTIONS[why];
    if (evicted) this.#deps.emit({ type: 'session-evicted', ...this.#names, why: evicted });
    void this.#session?.close();
  }

  /** Checks the health of the session, and that its CLI answers a request. */
  async check(): Promise<void> {
    const session = this.#session;
    if (session?.state !== 'running' || this.#stopping || this.#checking) return;
    const health = session.health();
    if (health.status === 'unhealthy') return this.#giveUp(health.reason);
    const { healthTimeoutMs: timeoutMs } = this.#deps.plan;
    this.#checking = true;
    try {
      await session.ping({ timeoutMs });
    } catch (error) {
      // Any other error is an answer, or the end of the session.
      if (error instanceof ControlTimeoutError) this.#giveUp(`it did not respond within ${timeoutMs} ms`, error);
    } finally {
      this.#checking = false;
    }
  }

  observe(observer: RunObserver): () => void {
    return this.#session?.observe(observer) ?? (() => {});
  }

  pendingPermissions(): readonly PendingPermission[] {
    return (this.#session?.pendingPermissions() ?? []).map((request) => ({
      ...request,
      id: this.#permissionId(request.id),
      job: this.#jobOfPermission.get(request.id) ?? null,
      key: this.#key,
    }));
  }

  /** @throws NoSuchPermissionError */
  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    if (!this.#session) throw new NoSuchPermissionError(id);
    await this.#session.answerPermission(id, answer);
  }

  /**
   * Opens the session and waits until it is ready. Resolves with `undefined` when the budget of its key is spent: then its
   * job has ended. @throws the start error, OptionsError, what `session(key)` throws
   */
  async #start(first: JobHandle | undefined): Promise<SessionHandle<unknown> | undefined> {
    const { plan, keys, emit } = this.#deps;
    const key = this.#key;
    const known = key === null ? undefined : keys.get(key);
    const own = first && ownOptions(plan.session, key);
    const job = first?.plan.process;
    const resume = known?.id ?? first?.resume;
    const budget = this.#budgetOf(own);
    const spent = first && spentResult(budget, { sessionId: resume ?? '', turn: first.id, uuid: crypto.randomUUID() });
    if (spent) return this.#endSpent(spent, resume);
    const maxBudgetUsd = processBudget(budget, job?.maxBudgetUsd);
    try {
      return await this.#open({ job, own, resume, model: known?.model, maxBudgetUsd });
    } catch (error) {
      const notFound = error instanceof CliExitedDuringInitError && error.message.includes(NO_CONVERSATION);
      if (!known || key === null || !notFound) throw error;
      if (known.kept && known.cwd !== this.#cwd) throw otherDirectory(key, known.cwd, this.#cwd);
      keys.forget(key);
      if (known.kept) {
        emit({ type: 'key-forgotten', key, sessionId: known.id, why: 'not-found' });
        throw error;
      }
      // The CLI died before it wrote the conversation to disk: start a new one.
      return await this.#open({ job, own, resume: first?.resume, maxBudgetUsd });
    }
  }

  /** A key has one budget for all its processes; without a key, the process is the conversation. */
  #budgetOf(own: OptionLayer | undefined): KeyBudget {
    const { keys, plan } = this.#deps;
    if (this.#key === null) return { limitUsd: undefined, spentUsd: 0 };
    const limitUsd = conversationBudget(own, plan.layers);
    this.#budgeted = limitUsd !== undefined;
    return { limitUsd, spentUsd: keys.spentUsd(this.#key) };
  }

  /** Ends the job as the CLI would end it. */
  #endSpent(result: ResultMessage, sessionId: string | undefined): undefined {
    this.#deps.dispatch({ type: 'sick', slot: this.place.slot });
    this.#job?.endUnsent(result);
    this.#endJob(true, { result, sessionId: sessionId ?? null, cost: NO_COST });
  }

  async #open(parts: Omit<SessionParts, 'key' | 'shared'>): Promise<SessionHandle<unknown>> {
    const { plan, pause, observers, inContext } = this.#deps;
    const shared = [...plan.layers, ownLayer({ observers: [...observers] })];
    const layers = sessionLayers({ key: this.#key, ...parts, shared });
    const session = openPlainSession(layers, { pool: { place: this.place, inContext, hostCwd: plan.hostCwd } });
    this.#session = session;
    this.#cwd = directoryOf(layers, plan.hostCwd);
    this.#resumed = parts.resume !== undefined;
    // A refused request pauses the pool before its job ends and the next one is started.
    session.follow({ event: (event) => this.#onEvent(event), message: ({ message }) => pause.note(message) });
    if (this.#stopping) void session.close();
    await session.ready;
    return session;
  }

  async #runJob(job: JobHandle, session: SessionHandle<unknown>): Promise<void> {
    const of = { job: job.id, at: job.submittedAt };
    const turn = job.inContext(() => session.send(job.prompt, { ...job.plan.turn, signal: job.signal }, of));
    const costOfTurn = turn.cost();
    job.begin(turn, (id) => this.#permissionId(id));
    this.#deps.emit({ type: 'job-started', job: job.id, ...this.#names });
    let end: { readonly result: ResultMessage } | { readonly error: Error };
    try {
      end = { result: await turn.result() };
      this.#noteConversation(true);
    } catch (error) {
      // Promises of this library only reject with errors.
      end = { error: job.failure ?? (error as Error) };
    }
    const becomesQuiet = isQuiet(session);
    const { sessionId } = this.#names;
    // The cost of a cancelled turn is known when the CLI has stopped it, or has exited.
    const cost = await costOfTurn;
    const quiet = await becomesQuiet;
    if (this.#outdated) this.#deps.dispatch({ type: 'outdated', slot: this.place.slot });
    this.#endJob(quiet, { ...end, sessionId, cost });
    if (quiet) return;
    await within(this.#deps.plan.backgroundWaitMs, session.idle(), { unref: true });
    if (this.#lastJob === job) this.#deps.dispatch({ type: 'settled', slot: this.place.slot });
  }

  /** Ends the current job, if there is one; `end` is that of its turn. */
  #endJob(quiet: boolean, end?: TurnEnd): void {
    if (!this.#job) return;
    this.#job.turnEnd = end;
    this.#job = undefined;
    this.#deps.dispatch({ type: 'turn-ended', slot: this.place.slot, quiet });
  }

  #onEvent(event: EventBody): void {
    const { emit } = this.#deps;
    const key = this.#key;
    switch (event.type) {
      case 'turn-started':
        this.#noteConversation(false);
        return;
      case 'state-changed':
        // Dispatched immediately, so that no job is assigned to a session that is ending.
        if (FINAL.has(event.state) && !this.#mayRetry) this.#deps.dispatch({ type: 'sick', slot: this.place.slot });
        return;
      case 'failed':
        if (!this.#mayRetry) this.#emitFailed(event.error);
        return;
      case 'cost-reported':
        // The cost of a turn is in the outcome of its job.
        if (event.turn === null) emit({ type: 'background-cost', ...this.#names, cost: event.cost });
        return;
      case 'permission-requested': {
        const { request } = event;
        const job = this.#job?.id ?? null;
        this.#jobOfPermission.set(request.id, job);
        emit({ type: 'permission-requested', id: this.#permissionId(request.id), job, key, request });
        return;
      }
      case 'permission-answered': {
        const { id, decision } = event;
        const job = this.#jobOfPermission.get(id) ?? null;
        this.#jobOfPermission.delete(id);
        emit({ type: 'permission-answered', id: this.#permissionId(id), job, key, decision });
      }
    }
  }

  /** While true, `#start` may open the session again, and `run` reports the failure if it does not. */
  get #mayRetry(): boolean {
    return !this.#started && !this.#prewarmed;
  }

  /** How events name this session. */
  get #names(): { readonly slot: number; readonly key: string | null; readonly sessionId: string | null } {
    return { ...this.place, sessionId: this.#session?.id ?? null };
  }

  #noteConversation(kept: boolean): void {
    const { key, sessionId } = this.#names;
    if (key === null || sessionId === null) return;
    const cleared = (this.#conversation ?? sessionId) !== sessionId;
    this.#outdated ||= this.#budgeted && cleared;
    this.#conversation = sessionId;
    // The CLI writes a new conversation to disk with its first prompt.
    this.#deps.keys.note(key, {
      id: sessionId,
      kept: kept && !cleared,
      cwd: this.#cwd,
      model: this.#session?.modelToKeep,
    });
  }

  #giveUp(reason: string, cause?: unknown): void {
    const failure = new SessionUnhealthyError(reason, cause);
    if (this.#job) this.#job.failure ??= failure;
    this.#emitFailed(plainError(failure));
    this.#deps.dispatch({ type: 'sick', slot: this.place.slot });
  }

  #emitStarted(session: Session): void {
    const { keys, emit } = this.#deps;
    const names = this.#names;
    const { key } = names;
    if (this.#prewarmed) this.#deps.prewarmed();
    const pid = session.pid ?? null;
    emit({ type: 'session-started', ...names, pid, resumed: this.#resumed, prewarmed: this.#prewarmed });
    const replaces = key === null ? undefined : keys.get(key)?.lostBy;
    if (key !== null && replaces !== undefined) emit({ type: 'session-replaced', ...names, key, replaces });
  }

  /** Emits the first failure only. */
  #emitFailed(error: PlainError): void {
    if (this.#failed || this.#stopping) return;
    this.#failed = true;
    const { slot, key } = this.place;
    if (key !== null) this.#deps.keys.lost(key, slot);
    this.#deps.emit({ type: 'session-failed', ...this.#names, error });
  }

  /** The CLI chooses the ids of requests, so two sessions can use the same id. */
  #permissionId(id: string): string {
    return `${this.place.slot}:${id}`;
  }
}

/** Some CLI versions only find a conversation in the directory where it started. */
function otherDirectory(key: string, known: string, wanted: string): OptionsError {
  const message = `is ${wanted}, but the conversation of the key ${JSON.stringify(key)} is in ${known}, and this CLI cannot resume it from another directory. Use that directory for the job, or another key.`;
  return new OptionsError([{ path: 'options.cwd', message }]);
}

/** Whether a session whose turn has just ended has no background work. */
function isQuiet(session: Session): Promise<boolean> {
  const busy = new Promise<boolean>((resolve) => setImmediate(resolve, false));
  return Promise.race([session.idle().then(() => true), busy]);
}

/** The reasons for which a session is stopped while its key may still need it. */
const EVICTIONS: { readonly [R in StopReason]?: EvictReason } = {
  needed: 'needed',
  expired: 'idle',
  changed: 'options',
};

const FINAL: ReadonlySet<string> = new Set(['stopping', 'stopped', 'ended', 'failed']);
