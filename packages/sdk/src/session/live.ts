import type { InboundRequests } from '../callbacks/inbound-requests.ts';
import type { InterruptReceipt } from '../control/operations.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { CoxswainError } from '../errors/base.ts';
import { SessionStoppedError } from '../errors/session.ts';
import { TransportError } from '../errors/stream.ts';
import { lateRefusal } from '../launch/late-refusal.ts';
import type { Limits } from '../limits.ts';
import type { ToolServers } from '../mcp/tool-servers.ts';
import { guardedMode } from '../options/permission-mode.ts';
import { thinkingTokens } from '../options/turn.ts';
import type { OutputEnd } from '../process/output-reader.ts';
import { sandboxWarning } from '../process/process-failure.ts';
import { startOutput } from '../process/start-output.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import { Report } from '../report/report.ts';
import type { Watchers } from '../report/watchers.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { Feed } from '../stream/feed.ts';
import { abortError, type InContext, onAbort } from '../timing/caller.ts';
import { Deferred, keepingProcessAlive, within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { Message } from '../wire/messages.ts';
import { CliFacts } from './cli-facts.ts';
import { type CostAccount, CostLedger } from './cost-ledger.ts';
import { HeldMessages } from './held-messages.ts';
import { createInboundRequests, createToolServers } from './inbound.ts';
import { Incoming } from './incoming.ts';
import { interruptSession } from './interrupt.ts';
import { isFinal, isStarting, type LifecycleEvent, type LifecycleState, transition } from './lifecycle.ts';
import type { Link } from './link.ts';
import { type RequestHost, SessionRequests } from './requests.ts';
import { SessionServers } from './servers.ts';
import type { Operation, SessionCore } from './session-core.ts';
import type { SessionPlan } from './session-plan.ts';
import { exitFailure, startSessionProcess } from './start.ts';
import { storeTheRest } from './store-use.ts';
import { SessionTurn, type TurnRequest } from './turn.ts';
import { SettingsKeeper } from './turn-settings.ts';
import { Turns } from './turns.ts';

/** Receives everything that comes out of a session, in order: a query that runs as one. */
export interface SessionTap {
  message(message: Message, rawJson: string, at: number): void;
  /** Takes the items that are no messages. */
  readonly feed: Pick<Feed, 'warning' | 'permission'>;
  /** Whether the CLI waits for an answer of a callback. */
  awaited(awaited: boolean): void;
  /** A line could not be decoded; `inARow` counts those since the last that could. */
  undecodable(error: CoxswainError, inARow: number): void;
  oversize(): void;
  /** The run has failed although its result came: it could not be stored. */
  failed(error: Error): void;
  /** The version check says that this CLI cannot be used. */
  refused(refusal: CoxswainError): void;
  ended(end: OutputEnd): void;
}

export interface SessionExtras {
  readonly watchers: Watchers;
  /** Nothing is started: `ready` rejects with this error. */
  readonly refusal?: Error | undefined;
  readonly tap?: SessionTap | undefined;
  /** A query's. */
  readonly stderr?: StderrTail | undefined;
  /** A query's, or a supervisor's for one process; it tells `watchers` itself. */
  readonly report?: Report | undefined;
  /** A supervisor's: shared by all processes of a restarting session. */
  readonly account?: CostAccount | undefined;
  /** A supervisor will restart it: keep the host process alive until the CLI is gone. */
  readonly outlived?: boolean;
}

/** One CLI process from its start to its end: connects the parts of a session and decides what happens when. */
export class LiveSession implements SessionCore, RequestHost {
  readonly live: LiveSession = this;
  readonly restarts = 0;
  readonly replaces = false;
  readonly paused = undefined;
  readonly plan: SessionPlan;
  readonly limits: Limits;
  readonly redact: Redactor;
  readonly report: Report;
  readonly stderr: StderrTail;
  readonly watchers: Watchers;
  readonly cli: CliFacts;
  readonly requests: SessionRequests;
  readonly settings: SettingsKeeper;
  readonly turns: Turns;
  readonly costs: CostLedger;
  readonly tools: ToolServers | undefined;
  readonly inbound: InboundRequests;
  readonly incoming: Incoming;
  readonly servers: SessionServers = new SessionServers(this);
  readonly held: HeldMessages = new HeldMessages(this);
  readonly tap: SessionTap | undefined;
  /** The async context in which the session was opened. */
  readonly inContext: InContext;
  readonly ready: Promise<void>;
  readonly #closed = new Deferred<ExitReport>();
  readonly closed: Promise<ExitReport> = this.#closed.promise;
  link: Link | undefined;
  /** With `sessionStore`: the conversation in the store. */
  stored: StoredConversation | undefined;
  failure: Error | undefined;
  readonly #outlived: boolean;
  #state: LifecycleState = 'starting';
  #wasReady = false;
  #forgetSignal: () => void = () => {};

  constructor(plan: SessionPlan, inContext: InContext, extras: SessionExtras) {
    const { refusal, tap, outlived = false } = extras;
    const { options, limits, environment } = plan.run;
    this.plan = plan;
    this.limits = limits;
    this.inContext = inContext;
    this.tap = tap;
    this.#outlived = outlived;
    this.redact = environment.redact;
    this.watchers = extras.watchers;
    this.report = extras.report ?? new Report(options, this.redact, this.watchers);
    const onLine = (line: string): void => {
      this.report.stderr(line);
      const found = sandboxWarning(line);
      if (found) this.warn(found);
    };
    this.stderr = extras.stderr ?? new StderrTail({ limitBytes: limits.stderrTailBytes, redact: this.redact, onLine });
    this.cli = new CliFacts(plan);
    this.requests = new SessionRequests(this);
    this.settings = new SettingsKeeper(this.requests, {
      model: options.model,
      permissionMode: guardedMode(options),
      maxThinkingTokens: options.thinking ? thinkingTokens(options.thinking) : options.maxThinkingTokens,
    });
    this.costs = new CostLedger(this, options, extras.account);
    this.turns = new Turns(this);
    this.tools = createToolServers(this);
    this.inbound = createInboundRequests(this);
    this.incoming = new Incoming(this);
    this.ready = refusal ? Promise.reject(refusal) : this.#start();
    this.ready.catch((error: Error) => this.fail(error));
  }

  get id(): string | undefined {
    return this.cli.conversation;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  get stopping(): boolean {
    return this.#state === 'stopping' || isFinal(this.#state);
  }

  get pid(): number | undefined {
    return this.link?.transport.pid;
  }

  get release(): string | undefined {
    return this.cli.release;
  }

  /** The pipe may be paused only while no control frame is expected. */
  get pausable(): boolean {
    const listens = this.plan.hooks.length > 0 || this.plan.run.options.canUseTool || this.tools;
    return !listens && this.#state === 'running' && this.requests.waiting.length === 0;
  }

  get behind(): boolean {
    return this.turns.current?.feed.full === true && this.pausable;
  }

  get forkable(): boolean {
    return this.cli.finishedTurn && this.plan.given.persistSession !== false;
  }

  get modelToKeep(): string | undefined {
    return this.settings.modelToKeep;
  }

  get given(): SessionPlan['given'] {
    return this.plan.given;
  }

  get waitingTurns(): SessionCore['waitingTurns'] {
    return this.turns.waiting;
  }

  /** What the CLI said last, without secrets. */
  get lastWords(): RequestHost['lastWords'] {
    const { lastWords, printed } = this.cli;
    return startOutput(this.stderr, printed, lastWords && this.redact(lastWords));
  }

  ask<R>(operation: Operation<R>, options: RequestOptions = {}): Promise<R> {
    return operation.run(this, options);
  }

  interrupt(options?: RequestOptions): Promise<InterruptReceipt> {
    return interruptSession(this, options);
  }

  idle(): Promise<void> {
    return this.turns.idle();
  }

  warn(warning: Warning): void {
    const shown = this.report.warn(warning);
    this.turns.current?.feed.warning(shown);
    this.tap?.feed.warning(shown);
  }

  /** Queues a turn. Never throws: the turn reports what is wrong. */
  sendTurn<T>(request: TurnRequest<T>): SessionTurn<T> {
    const { bufferBytes, backlogBytes } = this.limits;
    const feed = new Feed({
      bufferBytes,
      backlogBytes,
      pausable: () => this.pausable,
      onDrained: () => this.link?.resume(),
    });
    const turn = new SessionTurn<T>(feed, request, this.turns, this);
    this.turns.add(turn, request.problem ?? (this.stopping ? this.stoppedError('The turn was not sent') : undefined));
    return turn;
  }

  /** Writes a raw user frame once the session is ready; a prompt that is sent after this call is written after the frame. */
  async push(frame: UserFrame): Promise<void> {
    if (this.state === 'running') return this.turns.push(frame);
    const release = this.turns.gate.hold();
    try {
      await this.ready;
      if (this.#state !== 'running') throw this.stoppedError('The frame was not sent');
      await this.turns.push(frame);
    } finally {
      release();
    }
  }

  /** In any state that is not final. Older releases do not answer requests they do not know. */
  checkRequest(subtype: string): void {
    if (isFinal(this.#state)) throw this.stoppedError(`${subtype} was not sent`);
    this.cli.refuseIfTooOld(subtype);
  }

  /** Writes one frame. @throws SessionStoppedError, TransportError */
  async write(frame: object): Promise<void> {
    if (!this.link || isFinal(this.#state)) throw this.stoppedError('Nothing can be written');
    await this.link.send(frame);
  }

  /** Ends the session gracefully; resolves when the process is gone. */
  stop(): Promise<ExitReport> {
    this.dispatch('stop');
    return keepingProcessAlive(this.closed);
  }

  fail(failure: Error): void {
    this.failure ??= failure;
    this.dispatch('failure');
  }

  /** The version check says that this CLI cannot be used. What its tools have done already cannot be undone. */
  refused(refusal: CoxswainError): void {
    if (isStarting(this.#state)) this.fail(refusal);
    else if (this.tap) this.tap.refused(refusal);
    else if (this.cli.toolCalled || this.stopping) this.warn(lateRefusal(refusal));
    else this.fail(refusal);
  }

  /** stdout ended or failed while the process runs. */
  async broken(failure: Error | undefined): Promise<void> {
    await this.held.settled;
    this.tap?.ended({ failure });
    const message =
      'The CLI closed its stdout and kept running, so the session was ended. Start a new one with resume.';
    this.fail(failure ?? new TransportError(message));
  }

  /** The process is gone and its output has been read. */
  async gone(exit: ExitReport, unfinishedLine?: string): Promise<void> {
    // A result that waits for the store has come all the same. That of a session that was stopped only counts for its cost.
    await (this.#state === 'stopping' ? within(this.limits.graceMs, this.held.settled) : this.held.settled);
    // A CLI that is too old for its flags exits at once; its version, soon known, says more than its exit.
    if (this.#state === 'init-sent') await this.cli.refusal;
    // Nor does one that is too old pass as a good one because it is quick. A query waits itself.
    else if (this.cli.finishedTurn && !this.tap) await this.cli.versionKnown();
    if (isFinal(this.#state)) return;
    // A query decides itself what the end of its process means, and fails or stops the session.
    this.tap?.ended({ exit, unfinishedLine });
    if (isFinal(this.#state)) return;
    const clean = exit.exitCode === 0 && exit.signal === null;
    const event = clean && this.turns.quiet ? 'idle-exit' : 'exit';
    if (transition(this.state, event) === 'failed') this.failure ??= exitFailure(this, exit);
    this.dispatch(event);
  }

  dispatch(event: LifecycleEvent): void {
    const state = transition(this.#state, event);
    if (state === this.#state) return;
    this.#state = state;
    this.report.event({ type: 'state-changed', state });
    if (state === 'stopping') void this.#beginStop();
    else if (isFinal(state)) void this.#close();
    else if (state === 'running') {
      this.#wasReady = true;
      this.turns.advance();
    }
  }

  stoppedError(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.failure);
  }

  async #start(): Promise<void> {
    const { signal } = this.plan.run.options;
    if (signal?.aborted) throw abortError(signal, this.redact);
    this.#forgetSignal = onAbort(signal, () => {
      if (this.#state === 'running') void this.stop();
      else this.fail(abortError(signal, this.redact));
    });
    await startSessionProcess(this);
  }

  async #beginStop(): Promise<void> {
    const stopped = (): Error => this.stoppedError('No answer arrived');
    this.turns.failAll(stopped);
    this.requests.failAll(stopped);
    await this.gone((await this.link?.endGracefully()) ?? NEVER_STARTED);
  }

  /** The end of every session: fails everything that waits, then ends the process. */
  async #close(): Promise<void> {
    const failure = (): Error => this.failure ?? this.stoppedError('No answer arrived');
    this.#forgetSignal();
    this.cli.close();
    void this.inbound.stop();
    this.turns.close(failure, this.#wasReady ? () => this.stoppedError('The turn was not sent') : failure);
    this.requests.failAll(this.failure ? () => this.stoppedError('The request was not answered') : failure);
    this.link?.close();
    const exit = (await this.link?.endNow(!this.#outlived)) ?? NEVER_STARTED;
    if (this.link?.started) {
      this.report.event({ type: 'exit', exitCode: exit.exitCode, signal: exit.signal, ended: exit.ended });
    }
    if (this.stored) await storeTheRest(this, this.stored);
    // A query reports its end itself.
    if (!this.tap) {
      const failed = this.#state === 'failed' ? this.failure : undefined;
      this.report.end(this.#state === 'ended' ? 'ended' : 'stopped', failed);
    }
    this.#closed.resolve(exit);
  }
}
