import type { PermissionDispatcher } from '../callbacks/permission-dispatch.ts';
import { isHostOnly } from '../control/router.ts';
import { type CoxswainError, describeExit } from '../errors/base.ts';
import { plainError, redactedError } from '../errors/redacted.ts';
import {
  BufferOverflowError,
  JsonDecodeError,
  TimeoutError,
  type TimeoutKind,
  TooManyDecodeErrors,
  TransportError,
} from '../errors/stream.ts';
import { isUnknownVersion, lateRefusal } from '../launch/late-refusal.ts';
import { retryDelayOf } from '../messages/api-failure.ts';
import { toolUsesOf } from '../messages/content.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { OutputSchema } from '../options/option-types.ts';
import type { QueryPlan } from '../options/plan.ts';
import type { OutputEnd } from '../process/output-reader.ts';
import { processFailure, sandboxRefusal, sandboxWarning } from '../process/process-failure.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import { openReport, type Report } from '../report/report.ts';
import { Feed, type FeedOptions } from '../stream/feed.ts';
import { KeptWarnings } from '../stream/kept-warnings.ts';
import type { StreamOwner } from '../stream/message-stream.ts';
import { abortError, onAbort } from '../timing/caller.ts';
import { Deferred, keepingProcessAlive, Timers, within } from '../timing/timers.ts';
import { type Warning, type WarningCode, warning } from '../warnings/warning.ts';
import type { Message } from '../wire/messages.ts';
import { classify } from './classify.ts';
import {
  type MachineEvent,
  type QueryState,
  type StreamEffect,
  type StreamMachine,
  startMachine,
  transition,
} from './stream-machine.ts';

/** What a query runs on: a process that reads one prompt, or a session of one turn. It notifies its `QueryRun`. */
export interface QuerySource {
  readonly feedOptions: FeedOptions;
  readonly pid: number | undefined;
  readonly sessionId: string | undefined;
  /** True for a session: the CLI can make requests, even in a turn about background work. */
  readonly twoWay?: true;
  /** True while a callback or a store of the caller is running: then the CLI sends nothing because it waits. */
  readonly answering?: boolean;
  /** The CLI's permission requests; undefined if it cannot make any. */
  readonly permissions?: PermissionDispatcher | undefined;
  /** @throws the start error */
  start(): Promise<void>;
  /** True until the version check has completed. */
  readonly versionPending: boolean;
  /** Resolves when the version check has completed. */
  versionKnown(): Promise<void>;
  /** The error for a CLI that exited because it is too old for its flags; otherwise `failure` itself. */
  explained(failure: CoxswainError, stderr: string): CoxswainError;
  /** Everything has arrived: lets the CLI exit. */
  leave(): void;
  /**
   * Ends the run. `leave`: the CLI is done and exits on its own. `stop`: it is ended. The run's `processExited` is called after the
   * exit.
   */
  finish(how: 'leave' | 'stop', failure: Error | undefined, machine: StreamMachine): void;
}

/** Data for the effects of the machine. */
type Occasion = Readonly<Partial<{ message: Message; rawJson: string; at: number; exit: ExitReport }>>;

const ABANDONED = 'A stream was dropped without being read to its end or closed; its process was ended.';
const LATE = 'A message came after the run was over.';
const CLEAN_EXIT = 'The CLI exited with code 0 without a result; something may have interrupted it.';
const CLOSED_EARLY =
  'The CLI closed its stdout without a result and kept running, so it was ended. Check for a wrapper that redirects stdout.';

/** One query: decides when and how it ends. The contract is independent of what the query runs on. */
export class QueryRun<T> implements StreamOwner<T> {
  readonly source: QuerySource;
  readonly feed: Feed;
  readonly stderr: StderrTail;
  readonly #closed = new Deferred<ExitReport>();
  /** Settles when the process has exited; never rejects. */
  readonly closed: Promise<ExitReport> = this.#closed.promise;
  readonly processExited: (exit: ExitReport) => void = this.#closed.resolve;
  /** Called when the cost of the query is known. */
  readonly spent: (cost: TurnCost) => void;
  readonly started: Promise<void>;
  readonly redact: Redactor;
  readonly report: Report;
  readonly outputSchema: OutputSchema<T> | undefined;
  readonly #plan: QueryPlan<T>;
  readonly #timers = new Timers<'whole' | 'idle' | 'background' | 'drain'>();
  readonly #dropped = new FinalizationRegistry(() => {
    if (this.#over) return;
    const pid = this.source.pid ?? null;
    this.#warn('stream-abandoned', ABANDONED, { pid });
    this.#finish('stop', undefined, true);
  });
  #machine: StreamMachine;
  #forgetSignal: () => void = () => {};
  /** How long the CLI waits before it retries the API request. */
  #retryMs = 0;
  #outputSeen = false;
  #lastNonJson: string | undefined;
  /** The number of undecodable lines after a result. */
  #badLines = 0;
  /** The run fails when the version is known; everything else is ignored. */
  #failing = false;
  #toolCalled = false;
  /** Only the version check is pending. */
  #completing = false;
  #over = false;

  /** With a `refusal` nothing is started: the stream only reports that error. */
  constructor(plan: QueryPlan<T>, connect: (run: QueryRun<T>) => QuerySource, refusal?: Error) {
    const { options, limits } = plan;
    this.#plan = plan;
    this.redact = plan.environment.redact;
    this.report = openReport('query', plan, { kept: new KeptWarnings() });
    this.stderr = new StderrTail({
      limitBytes: limits.stderrTailBytes,
      redact: this.redact,
      onLine: (line) => {
        this.report.stderr(line);
        const found = sandboxWarning(line);
        if (found) this.notice(found);
      },
    });
    this.outputSchema = options.outputSchema;
    this.#machine = startMachine({
      waitForBackground: limits.backgroundWaitMs > 0,
      maxLateMessages: limits.maxLateMessages,
    });
    this.source = connect(this);
    this.feed = new Feed({ ...this.source.feedOptions, onLeave: () => this.#leave() });
    this.spent = this.feed.charge();
    this.report.turn({ id: this.report.run.id, content: plan.prompt, feed: this.feed });
    this.started = refusal ? Promise.reject(refusal) : this.#start();
    this.started.catch((error: Error) => this.fail(error));
  }

  get state(): QueryState {
    return this.#machine.state;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Ends the run; resolves when the process has exited. */
  close(): Promise<ExitReport> {
    this.#finish('stop', undefined, true);
    return keepingProcessAlive(this.closed);
  }

  /** Ends the run when `reader` is garbage-collected. A caller that awaits one of its promises keeps it alive. */
  endWith(reader: object): void {
    this.#dropped.register(reader, undefined);
  }

  warn(warning: Warning): void {
    this.report.warn(warning);
  }

  /** Reports a warning, and adds it to the items. */
  notice(warning: Warning): void {
    this.feed.warning(this.report.warn(warning));
  }

  message(message: Message, rawJson: string, at: number): void {
    if (this.#failing) return;
    this.#outputSeen = true;
    const noSandbox = message.type === 'result' && 'errors' in message && sandboxRefusal(String(message.errors));
    if (noSandbox) return this.fail(noSandbox);
    this.#toolCalled ||= toolUsesOf(message).length > 0;
    if (this.#plan.options.idleTimeoutMs !== undefined) this.#retryMs = retryDelayOf(message);
    this.#apply(classify(message), { message, rawJson, at });
  }

  /** A line could not be decoded; `inARow` is the number of consecutive ones. */
  undecodable(error: CoxswainError, inARow: number): void {
    if (this.#failing || this.#over) return;
    this.#outputSeen = true;
    const shown = redactedError(error, this.redact);
    if (shown instanceof JsonDecodeError) this.#lastNonJson = shown.line;
    if (this.feed.results.length > 0) return this.#badLineAfterResult(shown);
    if (inARow < this.#plan.limits.maxDecodeErrors) return this.feed.error(error);
    this.#failing = true;
    void this.source.versionKnown().then(() => this.fail(new TooManyDecodeErrors(inARow, shown)));
  }

  /** A line is too long. After a result it contains nothing that the run needs. */
  oversize(): void {
    if (this.feed.results.length === 0) this.fail(new BufferOverflowError(this.#plan.limits.maxLineBytes));
  }

  /** The version check has refused this CLI. */
  refused(refusal: CoxswainError): void {
    if (this.#over) return;
    const hasResult = this.feed.results.length > 0;
    if (this.#toolCalled || (hasResult && isUnknownVersion(refusal))) this.notice(lateRefusal(refusal));
    else this.fail(refusal);
  }

  /** Whether the run waits for the CLI: only then the idle timeout applies. */
  waiting(waiting: boolean): void {
    const { idleTimeoutMs: ms } = this.#plan.options;
    if (ms === undefined || this.#over || this.#completing) return;
    this.#timers.clear('idle');
    if (!waiting) return;
    this.#timers.set('idle', ms + this.#retryMs, () => {
      if (this.source.answering) this.waiting(true);
      else this.#timeUp('idleTimeoutMs', ms);
    });
    this.#retryMs = 0;
  }

  /** stdout has ended, or failed. */
  outputEnded({ exit, failure, unfinishedLine }: OutputEnd): void {
    if (this.#failing || this.#over) return;
    // After the last result, only the CLI's exit is pending.
    if (failure && this.#machine.state !== 'pending-end') this.fail(failure);
    else if (exit) this.#exited(exit, unfinishedLine);
    else if (this.feed.results.length > 0) this.#complete();
    else this.fail(new TransportError(CLOSED_EARLY));
  }

  fail(error: Error): void {
    this.#finish('stop', error);
  }

  async #start(): Promise<void> {
    const { signal, timeoutMs } = this.#plan.options;
    if (signal?.aborted) throw abortError(signal, this.redact);
    this.#forgetSignal = onAbort(signal, () => this.#finish('stop', abortError(signal, this.redact), true));
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#timeUp('timeoutMs', timeoutMs));
    }
    await this.source.start();
  }

  /** A run that only waits for the CLI's exit has finished in time. */
  #timeUp(kind: TimeoutKind, ms: number): void {
    if (this.#machine.state === 'pending-end') this.#apply({ type: 'drain-timeout' });
    else this.#finish('stop', new TimeoutError(kind, ms), true);
  }

  #exited(exit: ExitReport, unfinishedLine: string | undefined): void {
    // After a result, the exit of a CLI that was ended on purpose is not a failure.
    if (exit.ended !== 'by-itself' && this.feed.results.length > 0) return this.#complete();
    if (unfinishedLine !== undefined) {
      this.#outputSeen = true;
      this.#lastNonJson = this.redact(unfinishedLine);
      if (exit.exitCode === 0) {
        this.#warn('incomplete-last-line', "The CLI's last line was cut off.", { line: this.#lastNonJson });
      }
    }
    const { exitCode, signal } = exit;
    this.#apply({ type: 'exit', exitCode, signal, outputSeen: this.#outputSeen }, { exit });
  }

  #apply(event: MachineEvent, occasion: Occasion = {}): void {
    const before = this.#machine.state;
    const { machine, emit } = transition(this.#machine, event);
    this.#machine = machine;
    const { state } = machine;
    // A session reports its own states.
    if (state !== before && !this.source.twoWay) this.report.event({ type: 'state-changed', state });
    for (const effect of emit) this.#perform(effect, event, occasion);
  }

  #perform(effect: StreamEffect, event: MachineEvent, occasion: Occasion): void {
    const { limits } = this.#plan;
    const { message, rawJson = '', at = 0, exit = NEVER_STARTED } = occasion;
    const { exitCode, signal } = exit;
    const { late } = this.#machine;
    switch (effect) {
      case 'hand-over':
        if (message && !isHostOnly(message)) {
          // With a session, watchers receive the messages from the session.
          if (!this.source.twoWay) this.report.message(message, rawJson, this.report.run.id, at);
          this.feed.message(message, rawJson, at);
        }
        return;
      case 'wait-for-background':
        this.#timers.clear('drain');
        if (this.#timers.has('background')) return;
        return this.#timers.set('background', limits.backgroundWaitMs, () =>
          this.#apply({ type: 'background-timeout' }),
        );
      case 'start-drain':
        this.#timers.clear('background');
        return this.#drain(event.type === 'task-closed' || event.type === 'tasks-listed');
      case 'warn-late-message':
        return this.#warn('unexpected-message-after-result', LATE, { message, rawJson });
      case 'warn-abandoned':
        return this.#warn(
          'background-tasks-abandoned',
          `Background work was still running ${limits.backgroundWaitMs} ms after the result (limits.backgroundWaitMs) and was stopped.`,
          { tasks: this.#machine.tasks.keys() },
        );
      case 'warn-output-after-end':
        return this.#warn('output-after-end', `The CLI sent ${late} messages after the run was over.`, { count: late });
      case 'warn-non-zero-exit':
        if (this.#plan.options.strictExit) return this.fail(this.#processError(exit));
        return this.#warn(
          'non-zero-exit-after-result',
          `The CLI sent its result and then ${describeExit(exit)}; the result is valid.`,
          { exitCode, signal },
        );
      case 'warn-clean-exit':
        return this.#warn('clean-exit-no-result', CLEAN_EXIT, { exitCode: 0 });
      case 'warn-empty-response':
        return this.#warn('empty-response', 'The CLI exited with code 0 and printed nothing at all.', { exitCode: 0 });
      case 'fail-process':
        return this.fail(this.#processError(exit));
      case 'end':
        return this.#complete();
    }
  }

  /** Waits a limited time for the exit. A task that has just ended causes a turn in which the CLI may make requests. */
  #drain(afterTask: boolean): void {
    const { drainMs } = this.#plan.limits;
    if (afterTask && this.source.twoWay) return this.#timers.set('drain', drainMs, () => this.#drain(false));
    this.#timers.set('drain', drainMs, () => this.#apply({ type: 'drain-timeout' }));
    this.source.leave();
  }

  #warn(code: WarningCode, message: string, context: Warning['context']): void {
    this.notice(warning(code, message, context));
  }

  #processError(exit: ExitReport): Error {
    const failure = processFailure(exit, this.stderr, {
      stdoutWasEmpty: !this.#outputSeen,
      lastNonJsonLine: this.#lastNonJson,
      result: this.feed.results.at(-1),
    });
    return this.source.explained(failure, this.stderr.raw());
  }

  /** A reader stopped early: it waits only briefly for the exit of the process. */
  async #leave(): Promise<void> {
    // A CLI that has sent its last result is about to exit, and is not interrupted.
    this.#finish(this.#machine.state === 'pending-end' ? 'leave' : 'stop', undefined, true);
    await within(this.#plan.limits.breakWaitMs, this.closed);
  }

  /** These lines are read without demand, so only the first ones are reported. */
  #badLineAfterResult(shown: CoxswainError): void {
    const { maxLateMessages: most } = this.#plan.limits;
    this.#badLines += 1;
    if (this.#badLines <= most) this.#warn('bad-line-after-result', shown.message, { error: plainError(shown) });
    if (this.#badLines !== most + 1) return;
    const message = `More than ${most} lines after the result could not be decoded; the others are not reported.`;
    this.#warn('output-after-end', message, { count: this.#badLines });
  }

  /** No more output will arrive. A fast CLI that is too old must not succeed before the version check. */
  #complete(): void {
    if (this.#over || this.#completing) return;
    if (!this.source.versionPending) return this.#finish('leave');
    this.#completing = true;
    this.#timers.clear();
    void this.source.versionKnown().then(() => this.#finish('leave'));
  }

  /** The single end of every run. `atOnce`: the caller does not want to wait, so unread items are dropped. */
  #finish(how: 'leave' | 'stop', failure?: Error, atOnce = false): void {
    if (this.#over) return;
    this.#over = true;
    this.#apply({ type: 'close' });
    this.#timers.clear();
    this.#forgetSignal();
    this.source.finish(how, failure, this.#machine);
    this.feed.end(failure, atOnce);
  }
}
