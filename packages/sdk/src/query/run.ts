import type { CoxswainError } from '../errors/base.ts';
import { BufferOverflowError, JsonDecodeError } from '../errors/decode.ts';
import { AbortError, NoResultError, TimeoutError, type TimeoutKind, TransportError } from '../errors/stream.ts';
import { type Launch, ONE_SHOT, prepareLaunch } from '../launch/launch.ts';
import type { QueryPlan } from '../launch/plan.ts';
import { processFailure } from '../launch/process-failure.ts';
import type { VersionWatch } from '../launch/version-watch.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import type { OutputSchema } from '../options/groups.ts';
import type { OutputEnd } from '../process/output-reader.ts';
import { endProcess, leaveLadder, oneShotLadder } from '../process/shutdown.ts';
import { drainStderr, StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED, type Transport } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { ItemFeed } from '../stream/feed.ts';
import { ItemQueue } from '../stream/item-queue.ts';
import type { StreamItem } from '../stream/items.ts';
import type { StreamOwner } from '../stream/message-stream.ts';
import { onAbort } from '../stream/on-abort.ts';
import { Report } from '../stream/report.ts';
import { redactedError } from '../stream/shown-error.ts';
import { Timers } from '../stream/timers.ts';
import { within } from '../stream/within.ts';
import type { Warning } from '../warnings/warning.ts';
import { isHostOnly, isUsual, type Message, type ResultMessage } from '../wire/messages.ts';
import { classify } from './classify.ts';
import { IdleClock } from './idle-clock.ts';
import { LineWatch } from './line-watch.ts';
import { notices } from './notices.ts';
import { QueryCost } from './query-cost.ts';
import { Reading } from './reading.ts';
import { sendPrompt } from './send-prompt.ts';
import { type QueryState, type StreamEffect, type StreamEvent, startMachine, transition } from './stream-machine.ts';

/** What an effect of the machine may need to know. */
type Occasion = Readonly<Partial<{ message: Message; rawJson: string; exit: ExitReport }>>;

const CLOSED_EARLY =
  'The CLI closed its stdout without a result and ran on, so it was ended. Check for a wrapper that redirects stdout.';

/** One one-shot run: starts the process, reads it on demand, decides when it is over, and ends it. */
export class QueryRun<T> implements ItemFeed, StreamOwner<T> {
  readonly #plan: QueryPlan<T>;
  readonly #queue: ItemQueue = new ItemQueue(() => this.#reading.resume());
  readonly #reading: Reading = new Reading(this.#queue, () => this.#machine.state === 'pending-end');
  readonly #timers = new Timers<'whole' | 'background' | 'drain'>();
  readonly #idle: IdleClock;
  readonly #lines: LineWatch;
  readonly redact: Redactor;
  readonly #report: Report;
  readonly #stderr: StderrTail;
  readonly #costs: QueryCost;
  readonly #dropped = new FinalizationRegistry(() => {
    if (this.#over) return;
    this.#warn(notices.abandoned(this.#transport?.pid));
    this.#stop();
  });
  /** Ends what the start has under way when the run is over before it. */
  readonly #unwanted = new AbortController();
  #machine: ReturnType<typeof startMachine>;
  #transport: Transport | undefined;
  #versionWatch: VersionWatch | undefined;
  #stderrRead: Promise<void> | undefined;
  #exitedAt = 0;
  #forgetSignal: () => void = () => {};
  #over = false;
  #failure: Error | undefined;
  #resolveClosed: (report: ExitReport) => void = () => {};
  sessionId: string | undefined;
  readonly pulled = true;
  readonly results: ResultMessage[] = [];
  readonly started: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly ended: Promise<Error | undefined> = this.#queue.ended;
  readonly cost: Promise<TurnCost>;
  readonly outputSchema: OutputSchema<T> | undefined;

  /** With a `refusal` nothing is started: the stream only has that error to give. */
  constructor(plan: QueryPlan<T>, refusal?: Error) {
    this.#plan = plan;
    this.redact = plan.environment.redact;
    this.#report = new Report(plan.options, this.redact, true);
    this.outputSchema = plan.options.outputSchema;
    this.#costs = new QueryCost(plan.options);
    this.cost = this.#costs.settled;
    this.#stderr = new StderrTail({
      limitBytes: plan.limits.stderrTailBytes,
      redact: this.redact,
      onLine: (line) => this.#report.stderr(line),
    });
    this.#idle = new IdleClock(plan.options.idleTimeoutMs, (ms) => this.#timeUp('idleTimeoutMs', ms));
    this.#lines = new LineWatch(plan.limits.maxDecodeErrors, this.redact, plan.options);
    this.#machine = startMachine({
      waitForBackground: plan.limits.backgroundWaitMs > 0,
      maxLateMessages: plan.limits.maxLateMessages,
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.started = refusal ? Promise.reject(refusal) : this.#start();
    this.started.catch((error: Error) => {
      this.#versionWatch?.cancel();
      this.#fail(error);
    });
  }

  get state(): QueryState {
    return this.#machine.state;
  }

  get warnings(): readonly Warning[] {
    return this.#report.warnings;
  }

  take(): StreamItem | undefined {
    for (;;) {
      const item = this.#queue.take();
      if (item !== undefined || !this.#reading.step()) return item;
    }
  }

  more(): Promise<boolean> {
    return this.#queue.more();
  }

  warn(warning: Warning): void {
    this.#report.warn(warning);
  }

  /** Ends the run; resolves when the process is really gone. */
  async close(): Promise<ExitReport> {
    this.#stop();
    // Joins the ending that is under way, and keeps the host alive for it, which nothing else does any more.
    if (this.#transport) await endProcess(this.#transport, oneShotLadder(this.#plan.limits));
    return this.closed;
  }

  /** A reader broke out of its loop: what takes longer than a moment goes on behind its back and does not hold the host. */
  async leave(): Promise<void> {
    // Whoever has seen the last result has no reason to disturb a CLI that is about to leave.
    this.#stop(this.#machine.state === 'pending-end' ? 'leave' : 'stop');
    await within(this.#plan.limits.breakWaitMs, this.closed);
  }

  /** Ends the run when `reader` is garbage: nobody can read it any more. Whoever awaits one of its promises holds it. */
  endWith(reader: object): void {
    this.#dropped.register(reader, undefined);
  }

  async #start(): Promise<void> {
    const { signal, timeoutMs } = this.#plan.options;
    if (signal?.aborted) throw new AbortError(signal.reason);
    this.#forgetSignal = onAbort(signal, () => this.#cutShort(new AbortError(signal?.reason)));
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#timeUp('timeoutMs', timeoutMs));
    }
    for (const warning of this.#plan.warnings) this.#warn(warning);
    const launch = await this.#prepare();
    this.#versionWatch = launch.versionWatch;
    this.#stillWanted();
    await launch.transport.start(launch.request);
    this.#follow(launch);
  }

  async #prepare(): Promise<Launch> {
    const { options } = this.#plan;
    try {
      const plan = { ...this.#plan, options: Object.assign({}, options, { signal: this.#unwanted.signal }) };
      return await prepareLaunch(ONE_SHOT, plan, (warning) => this.#over || this.#warn(warning));
    } catch (error) {
      this.#stillWanted();
      throw error;
    }
  }

  /** @throws what ended the run while it was still starting */
  #stillWanted(): void {
    if (this.#over) throw this.#failure ?? new NoResultError('it was closed before the CLI had started');
  }

  /** The process runs: from here on everything that can come from it is listened to. */
  #follow({ transport, versionWatch }: Launch): void {
    this.#transport = transport;
    this.#report.event({ type: 'started', pid: transport.pid ?? null });
    this.#stderrRead = drainStderr(transport.errorOutput, this.#stderr);
    if (this.#over) {
      void endProcess(transport, oneShotLadder(this.#plan.limits)).then(this.#resolveClosed);
      this.#stillWanted();
    }
    void versionWatch?.refusal.then((error) => error && this.#fail(error));
    // A CLI that leaves before it has taken its prompt says why by how it exits.
    sendPrompt(transport, this.#plan.prompt).catch((error: Error) =>
      this.#report.log('debug', 'coxswain: prompt not taken', { error: error.message }),
    );
    this.#readOutput(transport);
    void transport.exited.then((report) => this.#onExit(report));
  }

  #readOutput(transport: Transport): void {
    const end = this.#reading.read(transport, this.#plan.limits.maxLineBytes, {
      message: (message, rawJson) => this.#onMessage(message, rawJson),
      undecodable: (error) => this.#onUndecodable(error),
      overflow: () => this.#onOverflow(),
      oversize: () => this.#onOverflow(),
      waiting: (waiting) => (waiting ? this.#idle.start() : this.#idle.stop()),
    });
    void end.then((how) => this.#onOutputEnd(transport, how));
  }

  #onMessage(message: Message, rawJson: string): void {
    this.#idle.heard(message);
    // Until a result has come the machine only hands these over: asking it each time costs a tenth of a long run.
    if (this.#machine.state === 'streaming' && isUsual(message)) {
      this.#lines.usual();
      this.#queue.message(message, rawJson);
      return;
    }
    for (const notice of this.#lines.message(message)) this.#warn(notice);
    if (this.sessionId === undefined && 'session_id' in message && typeof message.session_id === 'string') {
      this.sessionId = message.session_id;
    }
    this.#costs.note(message);
    if (message.type === 'result') this.results.push(message);
    else if (message.type === 'system' && message.subtype === 'init')
      this.#versionWatch?.told(message.claude_code_version);
    this.#apply(classify(message), { message, rawJson });
  }

  #onUndecodable(error: CoxswainError): void {
    if (error instanceof JsonDecodeError) this.#lines.nonJson(error.line);
    if (this.results.length > 0) {
      this.#warn(notices.badLineAfterResult(redactedError(error, this.redact)));
      return;
    }
    const failure = this.#lines.undecodable(error);
    if (!failure) return this.#queue.error(error);
    // Nothing more is read, but one that is too old is to be told that.
    this.#reading.stop();
    void this.#versionKnown().then(() => this.#fail(failure));
  }

  /** The lines before the one that is too long may have come with it, and are not decoded yet. */
  #onOverflow(): void {
    this.#reading.stepThrough();
    this.#fail(new BufferOverflowError(this.#plan.limits.maxLineBytes));
  }

  /** A run that only waits for the CLI to leave has made it in time. */
  #timeUp(kind: TimeoutKind, ms: number): void {
    if (this.#machine.state === 'pending-end') this.#apply({ type: 'drain-timeout' });
    else this.#cutShort(new TimeoutError(kind, ms));
  }

  #onExit(report: ExitReport): void {
    this.#report.event({ type: 'exit', exitCode: report.exitCode, signal: report.signal, ended: report.ended });
    this.#exitedAt = performance.now();
    const { exitReadMs, bufferBytes } = this.#plan.limits;
    this.#reading.exited(exitReadMs, bufferBytes);
    if (this.#over) return;
    this.#resolveClosed(report);
  }

  /** stdout has ended: now the exit counts, and it is due. */
  async #onOutputEnd(transport: Transport, { failure, unfinishedLine }: OutputEnd): Promise<void> {
    if (this.#reading.stopped) return;
    const { exitReadMs } = this.#plan.limits;
    const exit = await within(exitReadMs, transport.exited);
    // The CLI's last words may come behind its exit.
    if (exit && this.#stderrRead) await within(this.#exitedAt + exitReadMs - performance.now(), this.#stderrRead);
    if (exit && exit.exitCode !== 0 && this.results.length === 0) await this.#versionKnown();
    if (this.#over) return;
    if (failure) this.#fail(failure);
    else if (exit) this.#onGone(exit, unfinishedLine);
    else if (this.results.length > 0) this.#finish('leave');
    else this.#fail(new TransportError(CLOSED_EARLY));
  }

  #onGone(exit: ExitReport, unfinishedLine: string | undefined): void {
    if (unfinishedLine !== undefined) {
      const shown = this.#lines.nonJson(unfinishedLine);
      if (exit.exitCode === 0) this.#warn(notices.incompleteLine(shown));
    }
    const { exitCode, signal } = exit;
    this.#apply({ type: 'exit', exitCode, signal, outputSeen: this.#reading.begun }, { exit });
  }

  #apply(event: StreamEvent, occasion: Occasion = {}): void {
    const before = this.#machine.state;
    const { machine, emit } = transition(this.#machine, event);
    this.#machine = machine;
    if (machine.state !== before) this.#report.event({ type: 'state-changed', state: machine.state });
    for (const effect of emit) this.#perform(effect, occasion);
  }

  #perform(effect: StreamEffect, { message, rawJson = '', exit = NEVER_STARTED }: Occasion): void {
    const { limits } = this.#plan;
    switch (effect) {
      case 'hand-over':
        if (message && !isHostOnly(message)) this.#queue.message(message, rawJson);
        return;
      case 'wait-for-background':
        this.#timers.clear('drain');
        if (this.#timers.has('background')) return;
        return this.#timers.set('background', limits.backgroundWaitMs, () =>
          this.#apply({ type: 'background-timeout' }),
        );
      case 'start-drain':
        this.#timers.clear('background');
        this.#transport?.ending?.();
        this.#timers.set('drain', limits.drainMs, () => this.#apply({ type: 'drain-timeout' }));
        this.#reading.resume();
        // Nobody need pull for the end to be seen.
        return this.#reading.stepThrough();
      case 'warn-late-message':
        if (message) this.#warn(notices.lateMessage(message, rawJson));
        return;
      case 'warn-abandoned':
        return this.#warn(notices.tasksAbandoned(limits.backgroundWaitMs, this.#machine.tasks));
      case 'warn-output-after-end':
        return this.#warn(notices.outputAfterEnd(this.#machine.late));
      case 'warn-non-zero-exit':
        if (this.#plan.options.strictExit) return this.#fail(this.#processError(exit));
        return this.#warn(notices.nonZeroExit(exit));
      case 'warn-clean-exit':
        return this.#warn(notices.cleanExit());
      case 'warn-empty-response':
        return this.#warn(notices.emptyResponse());
      case 'fail-process':
        return this.#fail(this.#processError(exit));
      case 'end':
        return this.#finish('leave');
    }
  }

  #processError(exit: ExitReport): Error {
    return processFailure(exit, this.#stderr, {
      stdoutWasEmpty: !this.#reading.begun,
      lastNonJsonLine: this.#lines.lastNonJson,
      result: this.results.at(-1),
    });
  }

  #warn(warning: Warning): void {
    this.#queue.warning(this.#report.warn(warning));
  }

  /** The caller does not want to wait: what was read but not taken is dropped. */
  #cutShort(error: Error): void {
    this.#queue.clear();
    this.#fail(error);
  }

  #stop(how: 'leave' | 'stop' = 'stop'): void {
    if (this.#over) return;
    this.#queue.clear();
    this.#finish(how);
  }

  #fail(error: Error): void {
    this.#finish('stop', error);
  }

  /** A CLI that is too old may fail faster than it can be asked how old it is, and its age says more. */
  async #versionKnown(): Promise<void> {
    if (this.#versionWatch) await within(this.#plan.limits.versionTimeoutMs, this.#versionWatch.refusal);
  }

  /** The one end of every run. `leave`: the CLI is done and goes by itself. `stop`: it is told to. */
  #finish(how: 'leave' | 'stop', failure?: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.#failure = failure;
    this.#apply({ type: 'close' });
    this.#timers.clear();
    this.#idle.stop();
    this.#forgetSignal();
    this.#unwanted.abort();
    this.#versionWatch?.cancel();
    this.#reading.stop();
    this.#costs.end(this.#transport !== undefined, this.#machine);
    this.#endProcess(how);
    this.#report.end(how === 'leave' ? 'ended' : 'stopped', failure);
    this.#queue.end(failure);
  }

  #endProcess(how: 'leave' | 'stop'): void {
    if (!this.#transport) {
      // A process that is just being started is ended by `#follow`.
      void this.started.catch(() => {}).then(() => this.#transport ?? this.#resolveClosed(NEVER_STARTED));
      return;
    }
    const { limits } = this.#plan;
    const ladder = how === 'leave' ? leaveLadder(limits) : oneShotLadder(limits);
    void endProcess(this.#transport, ladder, { unref: true }).then(this.#resolveClosed);
  }
}
