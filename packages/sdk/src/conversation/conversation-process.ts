import type { CliRequestHandler } from '../callbacks/cli-request-handler.ts';
import { Connection, type ConnectionUser } from '../connection/connection.ts';
import { type LifecycleState, transition } from '../connection/state.ts';
import type { InterruptReceipt } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import { errorOf } from '../errors/base.ts';
import { CliExitedDuringInitError } from '../errors/start.ts';
import type { StoreFailedError } from '../errors/store.ts';
import { TransportError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import type { ToolServers } from '../mcp/tool-servers.ts';
import { guardedMode } from '../options/permission-mode.ts';
import { thinkingTokens } from '../options/turn.ts';
import type { OutputEnd } from '../process/output-reader.ts';
import { hintFor, processFailure, sandboxRefusal, sandboxWarning } from '../process/process-failure.ts';
import { type StartOutput, startOutput } from '../process/start-output.ts';
import { StderrTail } from '../process/stderr-tail.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Redactor } from '../redact.ts';
import type { Report } from '../report/report.ts';
import type { StoredConversation } from '../store/stored-conversation.ts';
import { abortError, type InContext, onAbort } from '../timing/caller.ts';
import { keepingProcessAlive, within } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import { AppliedSettings } from './applied-settings.ts';
import { CliFacts } from './cli-facts.ts';
import { connectCallbacks, createToolServers } from './connect-callbacks.ts';
import { type CostAccount, CostLedger } from './cost-ledger.ts';
import { FrameReceiver } from './frame-receiver.ts';
import { HeldMessages } from './held-messages.ts';
import { interrupt } from './interrupt.ts';
import { type OwnerRules, type ProcessOwner, sessionRules } from './owner-rules.ts';
import { Parking } from './parking.ts';
import type { SessionPlan } from './plan.ts';
import { RequestQueue } from './request-queue.ts';
import { SessionServers } from './servers.ts';
import { startConversation } from './start.ts';
import { storeTheRest } from './store-use.ts';
import { TurnRunner } from './turn-runner.ts';
import { SettingsKeeper } from './turn-settings.ts';

export interface ConversationProcessOptions {
  readonly report: Report;
  /** Nothing is started: `ready` rejects with this error. */
  readonly refusal?: Error | undefined;
  /** Those of a query; by default those of a session. */
  readonly rules?: OwnerRules | undefined;
  /** That of a query. */
  readonly stderr?: StderrTail | undefined;
  /** The restarting session that this process belongs to. */
  readonly owner?: ProcessOwner | undefined;
  /** Shared by all processes of a restarting session. */
  readonly account?: CostAccount | undefined;
  /** Keeps the host process alive until the CLI has exited, because another one will replace it. */
  readonly holdsHost?: boolean;
  /** Whether a turn waits for this process. */
  readonly hasWaiting?: () => boolean;
  /** A prompt may be sent, or a turn has ended. */
  readonly advance?: () => void;
}

/** Turns on one connection: joins the parts of a conversation with one CLI process. */
export class ConversationProcess implements ConnectionUser {
  readonly plan: SessionPlan;
  readonly limits: Limits;
  readonly redact: Redactor;
  readonly report: Report;
  readonly stderr: StderrTail;
  readonly rules: OwnerRules;
  readonly cli: CliFacts;
  readonly connection: Connection;
  readonly operations: RequestQueue;
  readonly settings: SettingsKeeper;
  readonly applied: AppliedSettings;
  readonly turns: TurnRunner;
  readonly costs: CostLedger;
  readonly tools: ToolServers | undefined;
  readonly inbound: CliRequestHandler;
  readonly receiver: FrameReceiver;
  readonly servers: SessionServers;
  readonly held: HeldMessages;
  readonly parking: Parking;
  /** The async context in which the session was opened. */
  readonly inContext: InContext;
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  /** With `sessionStore`: the conversation in the store. */
  stored: StoredConversation | undefined;
  readonly #options: ConversationProcessOptions;
  #wasReady = false;
  #forgetSignal: () => void = () => {};

  constructor(plan: SessionPlan, inContext: InContext, conversation: ConversationProcessOptions) {
    const { options, limits, environment } = plan.run;
    const { redact } = environment;
    this.plan = plan;
    this.limits = limits;
    this.redact = redact;
    this.inContext = inContext;
    this.#options = conversation;
    this.report = conversation.report;
    const onLine = (line: string): void => this.#stderrLine(line);
    this.stderr = conversation.stderr ?? new StderrTail({ limitBytes: limits.stderrTailBytes, redact, onLine });
    this.rules = conversation.rules ?? sessionRules(this);
    this.cli = new CliFacts(plan);
    this.operations = new RequestQueue(this);
    this.applied = new AppliedSettings(this.operations);
    this.settings = new SettingsKeeper(this.operations, {
      model: options.model,
      permissionMode: guardedMode(options),
      maxThinkingTokens: options.thinking ? thinkingTokens(options.thinking) : options.maxThinkingTokens,
    });
    this.costs = new CostLedger(this, options, conversation.account);
    this.turns = new TurnRunner(this);
    this.parking = new Parking(this);
    this.tools = createToolServers(this);
    this.inbound = connectCallbacks(this, this.tools);
    this.held = new HeldMessages(this);
    this.servers = new SessionServers(this);
    this.receiver = new FrameReceiver(this);
    const wanted = (exited: boolean): boolean => exited || !this.#behind;
    const reading = { stderr: this.stderr, sink: this.receiver, wanted, eager: true };
    const { holdsHost = false } = conversation;
    this.connection = new Connection({ limits, redact, reading, holdsHost }, this);
    this.closed = this.connection.closed;
    const { signal: ending } = this.connection.ending;
    ending.addEventListener('abort', () => this.parking.ending(), { once: true });
    ending.addEventListener('abort', () => this.turns.failCurrent(() => this.#unanswered()), { once: true });
    const { refusal } = conversation;
    this.ready = refusal ? Promise.reject(refusal) : this.#start();
    this.ready.catch((error: Error) => this.fail(error));
  }

  /** The id of the conversation, if it is known. */
  get id(): string | undefined {
    return this.cli.conversation;
  }

  get state(): LifecycleState {
    return this.connection.state;
  }

  get pid(): number | undefined {
    return this.connection.pid;
  }

  get release(): string | undefined {
    return this.cli.release;
  }

  /** Why the process failed. */
  get failure(): Error | undefined {
    return this.connection.ending.failure;
  }

  /** The control requests of the process, without the queue before the handshake. */
  get requests(): Connection['requests'] {
    return this.connection.requests;
  }

  get hookEvents(): ReadonlySet<string> {
    return new Set(this.plan.hooks.map(({ event }) => event));
  }

  /** The pipe may be paused only while no control frame is expected. */
  get pausable(): boolean {
    const listens = this.plan.hooks.length > 0 || this.plan.run.options.canUseTool || this.tools;
    return !listens && this.state === 'running' && this.requests.waiting.length === 0;
  }

  get #behind(): boolean {
    return this.turns.current?.feed.full === true && this.pausable;
  }

  get canSend(): boolean {
    return this.state === 'running' && this.operations.queued === 0;
  }

  /** True when the conversation can be resumed by another process. */
  get forkable(): boolean {
    return this.cli.finishedTurn && this.plan.given.persistSession !== false;
  }

  /** The last output of the CLI, without secrets. */
  get lastWords(): StartOutput {
    const { lastWords, printed } = this.cli;
    return startOutput(this.stderr, printed, lastWords && this.redact(lastWords));
  }

  interrupt(options?: RequestOptions): Promise<InterruptReceipt> {
    return interrupt(this, options);
  }

  /** Writes a raw user frame once the handshake is done; a prompt that is sent after this call is written after the frame. */
  async push(frame: UserFrame): Promise<void> {
    if (this.state === 'running') return this.turns.push(frame);
    const release = this.turns.gate.hold();
    try {
      await this.ready;
      if (this.connection.state !== 'running') throw this.connection.ending.stopped('The frame was not sent');
      await this.turns.push(frame);
    } finally {
      release();
    }
  }

  /** Ends the conversation gracefully; resolves when the process has exited. */
  stop(): Promise<ExitReport> {
    const { staysParked } = this.parking;
    return staysParked ? this.connection.kill(staysParked) : this.connection.stop();
  }

  fail(failure: Error): void {
    this.connection.fail(failure);
  }

  warn(given: Warning): void {
    const shown = this.#options.owner?.isNews(given) === false ? given : this.report.warn(given);
    this.turns.current?.feed.warning(shown);
    this.rules.feed?.warning(shown);
  }

  // The ports of the parts.

  reportReady(): void {
    if (!this.#options.owner) this.report.event({ type: 'ready', sessionId: this.id ?? null });
  }

  /** @throws SessionStoppedError, UnsupportedRequestError */
  checkRequest(subtype: string): void {
    if (this.connection.over) throw this.connection.ending.stopped(`${subtype} was not sent`);
    this.cli.refuseIfTooOld(subtype);
  }

  advance(): void {
    this.#options.advance?.();
  }

  heldUpWithin(ms: number): boolean {
    return this.connection.pausedWithin(ms) || this.held.holding;
  }

  storeFailed(failure: StoreFailedError): void {
    if (this.plan.run.options.storeFailure !== 'warn') {
      this.turns.failUnstored(failure);
      this.rules.storeFailed?.(failure);
    }
    const { sessionId } = failure;
    this.warn(warning('store-failed', failure.message, { sessionId, entries: this.stored?.pending ?? 0 }));
  }

  changed(state: LifecycleState): void {
    const { owner } = this.#options;
    if (owner) owner.stateChanged(state);
    else this.report.event({ type: 'state-changed', state });
    if (state !== 'running') return;
    this.#wasReady = true;
    // The silence of a CLI that resumes a turn counts from now on.
    this.turns.heard();
    this.turns.advance();
  }

  /** stdout has ended, usually because the process has exited. */
  async outputEnded(end: OutputEnd): Promise<void> {
    const { connection, cli, rules } = this;
    const { settled } = this.held;
    if (!end.exit) {
      await settled;
      rules.outputEnded?.(end);
      return this.fail(end.failure ?? new TransportError(CLOSED_STDOUT));
    }
    // A result that waits for the store counts as received; in a stopped session, only its cost counts.
    await (this.state === 'stopping' ? within(this.limits.graceMs, settled) : settled);
    // A CLI that is too old for its flags exits at once; its version explains more than its exit.
    if (this.state === 'init-sent') await cli.versionKnown();
    // A CLI that is too old must not be accepted because it is quick. A query waits for the version itself.
    else if (cli.finishedTurn && !rules.strict) await cli.versionKnown();
    if (connection.over) return;
    // A query evaluates the end of its process itself, and may end the conversation.
    rules.outputEnded?.(end);
    if (connection.over) return;
    const { exitCode, signal } = end.exit;
    const clean = exitCode === 0 && signal === null;
    const event = clean && this.turns.quiet && !this.#options.hasWaiting?.() ? 'idle-exit' : 'exit';
    if (transition(this.state, event) === 'failed') connection.ending.blame(this.#exitFailure(end.exit));
    connection.dispatch(event);
  }

  over(): void {
    this.#forgetSignal();
    this.cli.close();
    this.turns.close(() => this.#unanswered());
  }

  async exited(exit: ExitReport): Promise<void> {
    const { connection, report, stored } = this;
    const { exitCode, signal, ended } = exit;
    if (connection.started) report.event({ type: 'exit', exitCode, signal, ended });
    if (stored) await storeTheRest(this, stored);
    // A query reports its end itself.
    if (this.rules.strict || this.#options.owner) return;
    const failed = this.state === 'failed' ? this.failure : undefined;
    report.end(this.state === 'ended' ? 'ended' : 'stopped', failed);
  }

  /** The error of a turn that waits and will not be sent. */
  unsent(): Error {
    const { ending } = this.connection;
    const stopped = ending.stopped('The turn was not sent');
    return this.#wasReady ? stopped : (ending.failure ?? stopped);
  }

  async #start(): Promise<void> {
    const { signal } = this.plan.run.options;
    if (signal?.aborted) throw abortError(signal, this.redact);
    this.#forgetSignal = onAbort(signal, () => {
      if (this.state === 'running') void this.stop();
      else this.fail(abortError(signal, this.redact));
    });
    try {
      await startConversation(this);
    } catch (error) {
      this.fail(errorOf(error));
      await keepingProcessAlive(this.closed);
      throw this.failure ?? error;
    }
  }

  #stderrLine(line: string): void {
    this.report.stderr(line);
    const found = sandboxWarning(line);
    if (found) this.warn(found);
  }

  #unanswered(): Error {
    const { ending } = this.connection;
    return ending.failure ?? ending.stopped('No answer arrived');
  }

  /** The error for a process that exited unexpectedly: while it started, or later. */
  #exitFailure(exit: ExitReport): Error {
    const { stderr, connection, lastWords, cli } = this;
    if (!connection.starting) return processFailure(exit, stderr);
    const noSandbox = sandboxRefusal(stderr.text());
    if (noSandbox) return noSandbox;
    const { exitCode, signal } = exit;
    const stdoutWasEmpty = !this.receiver.heard;
    const hint = hintFor({ exitCode, signal, stderr: stderr.raw(), stdout: lastWords.said, stdoutWasEmpty });
    const failure = new CliExitedDuringInitError({ exitCode, signal, hint }, { ...lastWords, cause: exit.error });
    return cli.explained(failure, stderr.raw());
  }
}

const CLOSED_STDOUT =
  'The CLI closed its stdout and kept running, so the session was ended. Start a new one with resume.';
