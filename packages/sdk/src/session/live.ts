import { releaseNeeded } from '../cli/feature-gate.ts';
import { minimumFor } from '../cli/policy.ts';
import { steadyNow } from '../clock.ts';
import { Operations } from '../control/operations.ts';
import { PendingRequests } from '../control/pending.ts';
import { InitQueueOverflowError, SessionStoppedError, UnsupportedRequestError } from '../errors/control.ts';
import { AbortError } from '../errors/stream.ts';
import { TurnStuckError } from '../errors/turn.ts';
import type { VersionWatch } from '../launch/version-watch.ts';
import type { Limits } from '../limits.ts';
import { guardedMode } from '../options/guarded-mode.ts';
import { thinkingTokens } from '../options/turn.ts';
import { endProcess, sessionLadder } from '../process/shutdown.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { InContext } from '../stream/async-context.ts';
import { onAbort } from '../stream/on-abort.ts';
import { Report } from '../stream/report.ts';
import { within } from '../stream/within.ts';
import type { Warning } from '../warnings/warning.ts';
import { controlCancel, controlRequest } from '../wire/control.ts';
import { Answering } from './answering.ts';
import { CapabilityRecord } from './capabilities.ts';
import { CostLedger } from './cost-ledger.ts';
import type { SessionExtras, SessionTap } from './extras.ts';
import { goneFailure } from './failure.ts';
import { Incoming } from './incoming.ts';
import { interruptSession } from './interrupt.ts';
import { isFinal, type LifecycleEvent, type LifecycleState, transition } from './lifecycle.ts';
import { Link } from './link.ts';
import { Observers } from './observers.ts';
import { hasToolServers, type SessionPlan } from './session-plan.ts';
import type { Place } from './start-gate.ts';
import { startSessionProcess } from './starting.ts';
import { sayGoodbye } from './stopping.ts';
import { SettingsKeeper } from './turn-settings.ts';
import { Turns } from './turns.ts';

/** One session from its start to its end: holds the parts together and decides what happens when. */
export class LiveSession {
  readonly plan: SessionPlan;
  readonly limits: Limits;
  /** Takes the secrets out of what the CLI printed. */
  readonly redact: Redactor;
  readonly report: Report;
  readonly stderr: StderrTail;
  readonly observers: Observers;
  readonly capabilities: CapabilityRecord = new CapabilityRecord();
  readonly pending: PendingRequests;
  readonly operations: Operations = new Operations(
    (subtype, payload, timeoutMs) => this.request(subtype, payload, timeoutMs === undefined ? {} : { timeoutMs }),
    (text) => this.redact(text),
  );
  readonly settings: SettingsKeeper;
  readonly turns: Turns;
  readonly costs: CostLedger;
  readonly answering: Answering = new Answering(this);
  readonly tap: SessionTap | undefined;
  /** The async context in which the session was opened. */
  readonly inContext: InContext;
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  /** Where it waits until it may start. */
  place: Place | undefined;
  link: Link | undefined;
  versionWatch: VersionWatch | undefined;
  cliVersion: string | undefined;
  /** What the CLI said in its last failed result, secrets included: the reason why it leaves. */
  lastWords: string | undefined;
  id: string | undefined;
  /** A turn has come to its end in this session. */
  finishedTurn = false;
  #state: LifecycleState = 'starting';
  #failure: Error | undefined;
  #wasReady = false;
  readonly #outlived: boolean;
  #queuedOperations = 0;
  #resolveClosed: (report: ExitReport) => void = () => {};
  #handshakeId: string | undefined;
  #forgetSignal: () => void = () => {};
  readonly #onAbort = (): void => {
    const { signal } = this.plan.run.options;
    if (this.#state === 'running') void this.stop();
    else this.fail(new AbortError(signal?.reason));
  };

  constructor(plan: SessionPlan, inContext: InContext, extras: SessionExtras = {}) {
    const { refusal, tap } = extras;
    this.tap = tap;
    this.#outlived = extras.outlived ?? false;
    const { options, limits } = plan.run;
    this.plan = plan;
    this.limits = limits;
    this.inContext = inContext;
    this.id = plan.sessionId;
    this.redact = plan.run.environment.redact;
    this.observers = extras.observers ?? new Observers(limits.observerBytes);
    this.report = extras.report ?? new Report(options, this.redact, tap !== undefined);
    this.report.listener = this.observers;
    this.stderr = new StderrTail({
      limitBytes: limits.stderrTailBytes,
      redact: this.redact,
      onLine: (line) => this.report.stderr(line),
    });
    this.pending = new PendingRequests(limits.maxPendingRequests, (id) => this.sendQuietly(controlCancel(id)));
    this.settings = new SettingsKeeper(
      {
        set: (name, value) => this.#set(name, value),
        currentModel: async () => (await this.operations.getSettings()).applied?.model,
      },
      {
        model: options.model,
        permissionMode: guardedMode(options),
        maxThinkingTokens: options.thinking ? thinkingTokens(options.thinking) : options.maxThinkingTokens,
      },
    );
    this.costs = new CostLedger(this, options, extras.account);
    this.turns = new Turns({
      limits,
      canSend: () => this.#state === 'running' && this.#queuedOperations === 0,
      send: (frame) => this.send(frame),
      settings: this.settings,
      heldUpWithin: (ms) => this.link?.heldUpWithin(ms) ?? false,
      interrupt: () => interruptSession(this),
      stuck: (cause) => this.fail(new TurnStuckError(limits.interruptTimeoutMs, cause)),
      observers: this.observers,
      costs: this.costs,
      event: (event) => this.report.event(event),
    });
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.ready = refusal ? Promise.reject(refusal) : this.#start();
    this.ready.catch((error: Error) => this.fail(error));
  }

  get state(): LifecycleState {
    return this.#state;
  }

  get givenOptions(): SessionPlan['given'] {
    return this.plan.given;
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Which release the CLI is, as soon as it has said so or was asked. */
  get release(): string | undefined {
    return this.capabilities.current.cliVersion ?? this.cliVersion ?? this.versionWatch?.version;
  }

  /** The pipe may stand still only while nobody waits for a control frame. */
  get pausable(): boolean {
    const { options } = this.plan.run;
    const listens = this.plan.hooks.length > 0 || options.canUseTool || hasToolServers(this.plan);
    return !listens && this.#state === 'running' && this.pending.list().length === 0;
  }

  warn(warning: Warning): void {
    const shown = this.report.warn(warning);
    this.turns.current?.feed.warning(shown);
    this.tap?.warning(shown);
  }

  /** Writes one frame. @throws SessionStoppedError, TransportError */
  async send(frame: object): Promise<void> {
    if (!this.link || isFinal(this.#state)) throw this.stoppedError('Nothing can be written');
    await this.link.send(frame);
  }

  /** Writes an answer nobody waits for: a CLI that is gone does not need it. */
  sendQuietly(frame: object): void {
    this.link?.post(frame);
  }

  /** Sends a control request as soon as the session is ready. */
  async request(
    subtype: string,
    payload: object = {},
    options: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined } = {},
  ): Promise<unknown> {
    // What is given to setMcpServers(), applySettings() and other requests may come back in an error or on stderr.
    this.plan.run.environment.learnFrom(payload);
    const release = this.#state === 'starting' || this.#state === 'init-sent' ? await this.#untilReady() : () => {};
    try {
      // Where nothing is to be waited for it is written at once, in the order of the calls.
      if (this.versionDecides(subtype)) await this.versionKnown();
      if (this.#state !== 'running') throw this.stoppedError(`${subtype} was not sent`);
      return this.ask(subtype, payload, options);
    } finally {
      release();
    }
  }

  /** Sends a control request, whatever the session's state. */
  async ask(
    subtype: string,
    payload: object,
    terms: { timeoutMs?: number | undefined; signal?: AbortSignal | undefined },
    onId: (id: string) => void = () => {},
  ): Promise<unknown> {
    if (isFinal(this.#state)) throw this.stoppedError(`${subtype} was not sent`);
    this.refuseIfTooOld(subtype);
    const { timeoutMs = this.limits.controlTimeoutMs, signal } = terms;
    const answered = this.pending.open({ kind: subtype, timeoutMs, signal }, (id) => {
      onId(id);
      this.report.event({ type: 'request-sent', id, kind: subtype });
      return this.send(controlRequest(id, subtype, payload));
    });
    // A paused pipe would hold the answer back.
    this.link?.resume();
    return answered;
  }

  /** True when only the version, which is still being asked for, can tell whether the CLI has a feature. */
  versionDecides(feature: string): boolean {
    const unknown = this.versionWatch !== undefined && this.release === undefined;
    return unknown && releaseNeeded(feature, minimumFor('session')) !== undefined;
  }

  async versionKnown(): Promise<void> {
    if (this.versionWatch) await within(this.limits.versionTimeoutMs, this.versionWatch.refusal);
  }

  /** Older releases do not answer what they do not know. @throws UnsupportedRequestError when the CLI is known to lack it */
  refuseIfTooOld(kind: string, feature: string = kind): void {
    if (this.plan.run.options.skipVersionCheck) return;
    const found = this.release;
    const required = releaseNeeded(feature, found);
    if (found !== undefined && required !== undefined) throw new UnsupportedRequestError({ kind, found, required });
  }

  /** The handshake: the same request as any other, but any word of the CLI gives it more time. */
  handshake(): Promise<unknown> {
    const asked = this.ask('initialize', this.plan.initialize, { timeoutMs: this.limits.startTimeoutMs }, (id) => {
      this.#handshakeId = id;
    });
    this.dispatch({ type: 'handshake-sent' });
    return asked;
  }

  /** The CLI has said something, which gives the handshake more time. True when the handshake is over. */
  signOfLife(): boolean {
    if (this.#handshakeId !== undefined && this.#state === 'init-sent') this.pending.progress(this.#handshakeId);
    return this.#state !== 'starting' && this.#state !== 'init-sent';
  }

  /** Ends the session in good order; resolves when the process is gone. */
  async stop(): Promise<ExitReport> {
    this.dispatch({ type: 'stop' });
    if (this.link) await endProcess(this.link.transport, sessionLadder(this.limits, this.limits.graceMs));
    return this.closed;
  }

  /** Something made the session useless. */
  fail(failure: Error): void {
    this.#failure ??= failure;
    this.dispatch({ type: 'failure' });
  }

  /** The process is gone and everything it said was read. */
  async gone(exit: ExitReport): Promise<void> {
    // A CLI that is too old for its flags leaves at once; its version, soon known, says more than its exit.
    if (this.#state === 'init-sent') await this.versionWatch?.refusal;
    if (isFinal(this.#state)) return;
    const clean = exit.exitCode === 0 && exit.signal === null;
    const idle = this.turns.quiet;
    if (this.#state !== 'stopping' && !(this.#state === 'running' && clean && idle)) {
      this.#failure ??= goneFailure(this, exit);
    }
    this.dispatch({ type: 'exit', clean, idle });
  }

  dispatch(event: LifecycleEvent): void {
    const before = this.#state;
    const { state, emit } = transition(before, event);
    this.#state = state;
    if (state !== before) this.report.event({ type: 'state-changed', state });
    for (const effect of emit) {
      if (effect === 'ready') this.#onReady();
      else if (effect === 'begin-stop') void this.#goodbye();
      else void this.#close();
    }
  }

  #onReady(): void {
    this.#wasReady = true;
    this.turns.advance();
  }

  stoppedError(what: string): SessionStoppedError {
    return new SessionStoppedError(what, this.#failure);
  }

  async #start(): Promise<void> {
    const { signal } = this.plan.run.options;
    if (signal?.aborted) throw new AbortError(signal.reason);
    this.#forgetSignal = onAbort(signal, this.#onAbort);
    await startSessionProcess(this, (transport) => this.#connect(transport));
  }

  #connect(transport: Link['transport']): Link {
    const incoming = new Incoming(this);
    this.link = new Link(transport, {
      limits: this.limits,
      sink: incoming,
      mustWait: () => this.turns.current?.feed.full === true && this.pausable,
    });
    return this.link;
  }

  /** Until the returned function is called no prompt is sent: what was asked for before it comes before it. */
  async #untilReady(): Promise<() => void> {
    const { maxQueuedOperations } = this.limits;
    if (this.#queuedOperations >= maxQueuedOperations) throw new InitQueueOverflowError(maxQueuedOperations);
    this.#queuedOperations++;
    const release = (): void => {
      this.#queuedOperations--;
      this.turns.advance();
    };
    try {
      await this.ready;
      return release;
    } catch (error) {
      release();
      throw error;
    }
  }

  async #set(name: string, value: unknown): Promise<void> {
    if (name === 'model') await this.operations.setModel(String(value));
    else if (name === 'permissionMode') await this.operations.setPermissionMode(String(value));
    else await this.operations.setMaxThinkingTokens(typeof value === 'number' ? value : null);
  }

  async #goodbye(): Promise<void> {
    const began = steadyNow();
    const stopped = (): Error => this.stoppedError('The session was stopped');
    this.turns.failAll(stopped);
    this.pending.failAll(stopped);
    await this.answering.stop();
    if (!this.link) return this.dispatch({ type: 'exit', clean: true, idle: true });
    await sayGoodbye(this, this.link);
    const graceMs = Math.max(0, this.limits.graceMs - (steadyNow() - began));
    const exit = await endProcess(this.link.transport, sessionLadder(this.limits, graceMs), { unref: true });
    await this.gone(exit);
  }

  /** The end of every session: everyone who waits is told, then the process is put away. */
  async #close(): Promise<void> {
    const failure = (): Error => this.#failure ?? this.stoppedError('The session was stopped');
    this.#forgetSignal();
    this.place?.giveUp();
    this.versionWatch?.cancel();
    void this.answering.stop();
    this.turns.close(failure, this.#wasReady ? () => this.stoppedError('The turn was not sent') : failure);
    this.pending.failAll(this.#failure ? () => this.stoppedError('No answer can come') : failure);
    this.link?.close();
    const report = this.link
      ? await endProcess(this.link.transport, sessionLadder(this.limits, 0), { unref: !this.#outlived })
      : NEVER_STARTED;
    if (this.link?.started) {
      this.report.event({ type: 'exit', exitCode: report.exitCode, signal: report.signal, ended: report.ended });
    }
    this.#announce();
    this.observers.end();
    this.#resolveClosed(report);
  }

  #announce(): void {
    if (this.#state !== 'failed') {
      this.report.event({ type: this.#state === 'ended' ? 'ended' : 'stopped' });
      return;
    }
    const failure = this.#failure ?? new Error('unknown');
    this.report.event({ type: 'failed', error: this.report.shown(failure) });
    this.report.log('error', failure.message, { name: failure.name });
  }
}
