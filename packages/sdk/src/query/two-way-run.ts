import type { CoxswainError } from '../errors/base.ts';
import { BufferOverflowError, TooManyDecodeErrors } from '../errors/decode.ts';
import { AbortError, NoResultError, TimeoutError } from '../errors/stream.ts';
import type { QueryPlan } from '../launch/plan.ts';
import { processFailure } from '../launch/process-failure.ts';
import { retryDelayOf } from '../messages/retry-delay.ts';
import { incomplete, type TurnCost } from '../messages/turn-cost.ts';
import type { OutputSchema } from '../options/groups.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { SessionTap } from '../session/extras.ts';
import { LiveSession } from '../session/live.ts';
import { sendTurn } from '../session/send.ts';
import { planSessionRun } from '../session/session-plan.ts';
import { TurnFeed } from '../session/turn-feed.ts';
import { currentContext } from '../stream/async-context.ts';
import type { PermissionItem, StreamItem } from '../stream/items.ts';
import { onAbort } from '../stream/on-abort.ts';
import { redactedError } from '../stream/shown-error.ts';
import { Timers } from '../stream/timers.ts';
import { within } from '../stream/within.ts';
import type { Warning } from '../warnings/warning.ts';
import { isHostOnly, type Message, type ResultMessage } from '../wire/messages.ts';
import { classify } from './classify.ts';
import { notices } from './notices.ts';
import type { Run } from './query-stream.ts';
import {
  hasOpenWork,
  type QueryState,
  type StreamEffect,
  type StreamEvent,
  startMachine,
  transition,
} from './stream-machine.ts';

/**
 * A query whose callbacks the CLI must be able to ask: a session of one turn, with the stream contract of a one-shot run.
 * Control frames may not wait for a slow reader, so its backlog is bounded instead of the pipe being paused.
 */
export class TwoWayRun<T> implements Run<T> {
  readonly pulled = false;
  readonly cost: Promise<TurnCost>;
  readonly #plan: QueryPlan<T>;
  readonly #live: LiveSession;
  readonly #feed: TurnFeed;
  readonly #timers = new Timers<'whole' | 'idle' | 'background' | 'drain'>();
  readonly #dropped = new FinalizationRegistry(() => {
    if (this.#over) return;
    this.#live.warn(notices.abandoned(this.#live.link?.transport.pid));
    void this.close();
  });
  #machine: ReturnType<typeof startMachine>;
  #over = false;
  #left: ExitReport = NEVER_STARTED;
  #forgetSignal: () => void = () => {};
  /** What is being dealt with is the end of a background task. */
  #afterTask = false;
  #settleCost: (cost: TurnCost) => void = () => {};

  constructor(plan: QueryPlan<T>) {
    this.#plan = plan;
    this.cost = new Promise((resolve) => {
      this.#settleCost = resolve;
    });
    const { limits } = plan;
    this.#machine = startMachine({
      waitForBackground: limits.backgroundWaitMs > 0,
      maxLateMessages: limits.maxLateMessages,
    });
    this.#feed = new TurnFeed({
      bufferBytes: limits.backlogBytes,
      backlogBytes: limits.backlogBytes,
      pausable: () => false,
      onDrained: () => {},
    });
    // The signal and the clocks are this run's own: they end the query, not just its turn.
    const clocks = { signal: undefined, timeoutMs: undefined, idleTimeoutMs: undefined };
    const own = { ...plan, options: Object.assign({}, plan.options, clocks) };
    const tap: SessionTap = {
      message: (message, rawJson, at) => this.#onMessage(message, rawJson, at),
      warning: (warning) => this.#feed.warning(warning),
      permission: (item) => this.#feed.permission(item),
      undecodable: (error, inARow) => this.#onUndecodable(error, inARow),
      oversize: () => this.#fail(new BufferOverflowError(limits.maxLineBytes)),
    };
    this.#live = new LiveSession(
      planSessionRun(own, () => crypto.randomUUID()),
      currentContext(),
      { tap },
    );
    this.#watch();
    this.#ask();
  }

  get started(): Promise<void> {
    return this.#live.ready;
  }

  get closed(): Promise<ExitReport> {
    return this.#live.closed;
  }

  get state(): QueryState {
    return this.#machine.state;
  }

  get sessionId(): string | undefined {
    return this.#live.id;
  }

  get warnings(): readonly Warning[] {
    return this.#live.report.warnings;
  }

  get results(): readonly ResultMessage[] {
    return this.#feed.results;
  }

  get ended(): Promise<Error | undefined> {
    return this.#feed.ended;
  }

  get redact(): Redactor {
    return this.#live.redact;
  }

  get outputSchema(): OutputSchema<T> | undefined {
    return this.#plan.options.outputSchema;
  }

  take(): StreamItem | PermissionItem | undefined {
    return this.#feed.take();
  }

  more(): Promise<boolean> {
    return this.#feed.more();
  }

  warn(warning: Warning): void {
    this.#live.report.warn(warning);
  }

  async close(): Promise<ExitReport> {
    this.#finish(undefined, true);
    return this.#live.stop();
  }

  async leave(): Promise<void> {
    this.#finish(undefined, true);
    await within(this.#plan.limits.breakWaitMs, this.closed);
  }

  endWith(reader: object): void {
    this.#dropped.register(reader, undefined);
  }

  /** The clock and the signal of the whole run. */
  #watch(): void {
    const { signal, timeoutMs } = this.#plan.options;
    const aborted = (): void => this.#fail(new AbortError(signal?.reason), true);
    if (signal?.aborted) queueMicrotask(aborted);
    else this.#forgetSignal = onAbort(signal, aborted);
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#fail(new TimeoutError('timeoutMs', timeoutMs), true));
    }
  }

  /** The CLI left by itself, with its result given: as after a one-shot run, how it left may be worth a warning. */
  #onLeft(exit: ExitReport): void {
    if (this.#over || this.results.length === 0) return;
    this.#left = exit;
    this.#apply({ type: 'exit', exitCode: exit.exitCode, signal: exit.signal, outputSeen: true });
  }

  #ask(): void {
    const { idleTimeoutMs } = this.#plan.options;
    if (idleTimeoutMs !== undefined) void this.started.then(() => this.#armIdle(idleTimeoutMs)).catch(() => {});
    void this.closed.then((report) => this.#onLeft(report));
    const turn = sendTurn(this.#live, this.#plan.prompt, {}, this.outputSchema);
    // Its messages are taken from the tap, where also those of background work are.
    void turn[Symbol.asyncIterator]().return?.();
    turn.result().catch((error: Error) => {
      if (!(error instanceof NoResultError)) this.#fail(error);
    });
  }

  #onMessage(message: Message, rawJson: string, at: number): void {
    const { idleTimeoutMs } = this.#plan.options;
    if (idleTimeoutMs !== undefined) this.#armIdle(idleTimeoutMs, message);
    if (message.type === 'user' && message.isReplay === true) return;
    this.#apply(classify(message), () => {
      if (!isHostOnly(message)) this.#feed.message(message, rawJson, at);
    });
  }

  #onUndecodable(error: CoxswainError, inARow: number): void {
    const shown = redactedError(error, this.#live.redact);
    if (this.results.length > 0) this.#live.warn(notices.badLineAfterResult(shown));
    else if (inARow >= this.#plan.limits.maxDecodeErrors) this.#fail(new TooManyDecodeErrors(inARow, shown));
    else this.#feed.error(error);
  }

  #armIdle(ms: number, message?: Message): void {
    if (this.#over) return;
    const retry = message ? retryDelayOf(message) : 0;
    this.#timers.set('idle', ms + retry, () => {
      if (this.#live.answering.open > 0) this.#armIdle(ms, message);
      else this.#fail(new TimeoutError('idleTimeoutMs', ms), true);
    });
  }

  #apply(event: StreamEvent, handOver: () => void = () => {}): void {
    const { machine, emit } = transition(this.#machine, event);
    this.#machine = machine;
    this.#afterTask = event.type === 'task-closed' || event.type === 'tasks-listed';
    for (const effect of emit) this.#perform(effect, handOver);
  }

  /** What the exit of a one-shot CLI means does not arise here: the session is stopped when the last result has come. */
  #perform(effect: StreamEffect, handOver: () => void): void {
    const { backgroundWaitMs, drainMs } = this.#plan.limits;
    switch (effect) {
      case 'hand-over':
        return handOver();
      case 'wait-for-background':
        this.#timers.clear('drain');
        if (this.#timers.has('background')) return;
        return this.#timers.set('background', backgroundWaitMs, () => this.#apply({ type: 'background-timeout' }));
      case 'warn-abandoned':
        return this.#live.warn(notices.tasksAbandoned(backgroundWaitMs, this.#machine.tasks));
      case 'start-drain':
        // A task that is over brings a turn of its own, in a moment.
        if (!this.#afterTask) return this.#finish();
        return this.#timers.set('drain', drainMs, () => this.#finish());
      case 'warn-non-zero-exit':
        return this.#onBadExit();
      case 'end':
        return this.#finish();
      default:
        return;
    }
  }

  #onBadExit(): void {
    const exit = this.#left;
    if (!this.#plan.options.strictExit) return this.#live.warn(notices.nonZeroExit(exit));
    this.#fail(
      processFailure(exit, this.#live.stderr, {
        stdoutWasEmpty: false,
        lastNonJsonLine: undefined,
        result: this.results.at(-1),
      }),
    );
  }

  #fail(failure: Error, atOnce = false): void {
    this.#finish(failure, atOnce);
  }

  #finish(failure?: Error, atOnce = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#apply({ type: 'close' });
    this.#timers.clear();
    this.#forgetSignal();
    this.#feed.end(failure, atOnce);
    // One that is cut off may still tell what it has spent while it leaves.
    if (this.results.length > 0 && !hasOpenWork(this.#machine)) this.#tellCost();
    void this.#live.stop().then(() => this.#tellCost());
  }

  #tellCost(): void {
    const { background: _, ...cost } = this.#live.costs.account.sum;
    this.#settleCost(this.#machine.tasks.size > 0 ? incomplete(cost) : cost);
  }
}
