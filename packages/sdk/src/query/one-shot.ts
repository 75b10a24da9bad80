import { flagRefusal } from '../cli/flag-refusal.ts';
import { Connection, type ConnectionUser } from '../connection/connection.ts';
import type { RequestHandler } from '../connection/requests.ts';
import { CostLedger, type LedgerHost } from '../conversation/cost-ledger.ts';
import { MessageWarnings } from '../conversation/message-warnings.ts';
import type { CoxswainError } from '../errors/base.ts';
import { InitializationTimeoutError } from '../errors/start.ts';
import { NoResultError, UnexpectedMessageError } from '../errors/stream.ts';
import type { BackgroundVersionCheck } from '../launch/background-version-check.ts';
import { type Launch, prepareLaunch } from '../launch/launch.ts';
import { sessionIdOf } from '../messages/fields.ts';
import { incomplete, NO_COST } from '../messages/turn-cost.ts';
import type { QueryPlan } from '../options/plan.ts';
import { lineTooLong, type OutputEnd, type ReaderSink } from '../process/output-reader.ts';
import { gracefulSteps, interruptSteps } from '../process/shutdown.ts';
import type { StartOutput } from '../process/start-output.ts';
import type { ExitReport } from '../process/transport.ts';
import type { FeedOptions } from '../stream/feed.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import { encodeLine, userFrame } from '../wire/encode.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import type { QueryRun, QuerySource } from './run.ts';
import { hasOpenWork, type StreamMachine } from './stream-machine.ts';

/** A CLI that reads its prompt to EOF cannot make requests. */
const NO_REQUESTS: RequestHandler = { open: 0, handle: () => {}, cancel: () => {}, stop: async () => {} };

/** Runs a query on a connection that reads its prompt to EOF and is read as fast as the stream is. */
export class OneShot<T> implements QuerySource, LedgerHost, ConnectionUser, ReaderSink {
  readonly feedOptions: FeedOptions = {
    drained: true,
    pull: () => this.#step(),
    onDemand: () => this.#connection.resume(),
  };
  readonly inbound: RequestHandler = NO_REQUESTS;
  sessionId: string | undefined;
  release: string | undefined;
  readonly #plan: QueryPlan<T>;
  readonly #run: QueryRun<T>;
  readonly #connection: Connection;
  readonly #warnings: MessageWarnings;
  readonly #costs: CostLedger;
  /** When the last chunk arrived. */
  #at = Date.now();
  /** Aborts a start in progress when the run ends. */
  readonly #unwanted = new AbortController();
  #launched: Launch | undefined;
  #badLinesInARow = 0;
  #process: 'none' | 'starting' | 'running' | 'exited' = 'none';

  constructor(plan: QueryPlan<T>, run: QueryRun<T>) {
    const { limits, environment } = plan;
    this.#plan = plan;
    this.#run = run;
    this.#warnings = new MessageWarnings(plan.options, []);
    this.#costs = new CostLedger(this, plan.options);
    const wanted = (): boolean => (this.#waitsForEnd && run.feed.bytes < limits.bufferBytes) || run.feed.wanted;
    this.#connection = new Connection(
      {
        limits,
        redact: environment.redact,
        reading: { stderr: run.stderr, sink: this, wanted },
        endSteps: (state) => (state === 'ended' ? gracefulSteps(limits) : interruptSteps(limits)),
      },
      this,
    );
    void this.#connection.closed.then(run.processExited);
  }

  get pid(): number | undefined {
    return this.#connection.pid;
  }

  get #versionCheck(): BackgroundVersionCheck | undefined {
    return this.#launched?.versionCheck;
  }

  get versionPending(): boolean {
    return this.#versionCheck?.pending === true;
  }

  /** A CLI that is too old may fail before the version check, whose error explains more. */
  async versionKnown(): Promise<void> {
    if (this.#versionCheck?.pending) await within(this.#plan.limits.versionTimeoutMs, this.#versionCheck.refusal);
  }

  explained(failure: CoxswainError, stderr: string): CoxswainError {
    const release = this.release ?? this.#versionCheck?.version ?? this.#launched?.version;
    return flagRefusal(failure, stderr, { path: this.#launched?.path ?? '', release }) ?? failure;
  }

  get lastWords(): StartOutput {
    return { stderrTail: this.#run.stderr.text(), said: '', hint: undefined };
  }

  async start(): Promise<void> {
    this.#process = 'starting';
    try {
      await this.#start();
    } catch (error) {
      if (this.#process === 'starting') this.#process = 'none';
      throw error;
    }
  }

  async #start(): Promise<void> {
    for (const warning of this.#plan.warnings) this.warn(warning);
    const options = Object.assign({}, this.#plan.options, { signal: this.#unwanted.signal });
    const notice = (warning: Warning): unknown => this.#run.over || this.warn(warning);
    const watched = this.#run.report.environment();
    const plan = { ...this.#plan, options, mode: 'query', toleratesUnknown: false, watched } as const;
    const unlessOver = (error: unknown): never => {
      this.#requireWanted();
      throw error;
    };
    const launch = await prepareLaunch(plan, notice).catch(unlessOver);
    this.#launched = launch;
    this.#requireWanted();
    const { startTimeoutMs } = this.#plan.limits;
    const started = this.#connection.start(launch.transport, launch.request).then(() => true, unlessOver);
    // A child process starts immediately; a caller's transport may never start.
    if (!(await within(startTimeoutMs, started))) throw new InitializationTimeoutError(startTimeoutMs, this.lastWords);
    this.#follow(launch);
  }

  leave(): void {
    this.#launched?.transport.ending?.();
    this.#connection.resume();
    // The end must be detected even if nobody reads the stream.
    this.#stepThrough();
  }

  finish(how: 'leave' | 'stop', failure: Error | undefined, machine: StreamMachine): void {
    const connection = this.#connection;
    connection.ending.blame(failure);
    this.#unwanted.abort();
    this.#versionCheck?.cancel();
    this.#reportCost(machine);
    const end = (): void => this.#run.report.end(how === 'leave' ? 'ended' : 'stopped', failure);
    // The last event, after the one about the exit.
    const isLast = this.#process === 'none' || this.#process === 'exited';
    if (isLast) end();
    else void connection.closed.then(end);
    connection.dispatch(how === 'leave' && connection.started ? 'idle-exit' : 'failure');
  }

  /** @throws what ended the run while it was starting */
  #requireWanted(): void {
    if (!this.#run.over) return;
    this.#versionCheck?.cancel();
    throw this.#connection.ending.failure ?? new NoResultError('it was closed before the CLI had started');
  }

  /** The process runs. */
  #follow({ transport, versionCheck }: Launch): void {
    this.#process = 'running';
    this.#run.report.event({ type: 'started', pid: transport.pid ?? null });
    void transport.exited.then((report) => this.#onExit(report));
    this.#requireWanted();
    this.#connection.dispatch('prompt-given');
    void versionCheck?.refusal.then((error) => error && this.#run.refused(error));
    // If the CLI does not read its prompt, its exit explains why.
    this.#sendPrompt().catch((error: Error) =>
      this.#run.report.log('debug', 'coxswain: prompt not taken', { error: error.message }),
    );
  }

  /** Text unchanged, content blocks as one frame. */
  async #sendPrompt(): Promise<void> {
    const { prompt } = this.#plan;
    await this.#connection.write(typeof prompt === 'string' ? prompt : encodeLine(userFrame(prompt)));
    await this.#connection.endInput();
  }

  /** A run that only waits for its end is read without demand. */
  get #waitsForEnd(): boolean {
    return this.#run.state === 'pending-end';
  }

  /** Decodes the next line; false if there is none, or the run has ended. */
  #step(): boolean {
    return !this.#run.over && this.#connection.step();
  }

  #stepThrough(): void {
    while (this.#step());
  }

  chunk(): void {
    this.#at = Date.now();
    if (this.#waitsForEnd) this.#stepThrough();
    else this.#run.feed.wake();
  }

  waiting(waiting: boolean): void {
    this.#run.waiting(waiting);
  }

  warn(warning: Warning): void {
    this.#run.notice(warning);
  }

  message(message: Message, rawJson: string): void {
    this.#badLinesInARow = 0;
    for (const found of this.#warnings.of(message)) this.warn(found);
    this.sessionId ??= sessionIdOf(message);
    if (message.type === 'result') {
      this.#costs.reported(message, undefined);
    } else if (message.type === 'system' && message.subtype === 'init') {
      if (this.release === undefined) for (const found of this.#warnings.ofOneShot(message)) this.warn(found);
      this.release = message.claude_code_version;
      this.#versionCheck?.reported(message.claude_code_version);
    }
    this.#run.message(message, rawJson, this.#at);
  }

  undecodable(error: CoxswainError): void {
    if (!(error instanceof UnexpectedMessageError)) this.#badLinesInARow++;
    this.#run.undecodable(error, this.#badLinesInARow);
  }

  /** The lines before the one that is too long may not be decoded yet. */
  overflow(): void {
    this.#stepThrough();
    this.#run.oversize();
  }

  oversize({ bytes }: OversizeLine): void {
    this.overflow();
    if (this.#run.over) return;
    this.warn(lineTooLong(bytes, this.#plan.limits.maxLineBytes));
  }

  #onExit(report: ExitReport): void {
    const { exitCode, signal, ended } = report;
    this.#process = 'exited';
    this.#run.report.event({ type: 'exit', exitCode, signal, ended });
    if (!this.#run.over) this.#run.processExited(report);
  }

  async outputEnded(end: OutputEnd): Promise<void> {
    if (end.exit) await this.versionKnown();
    this.#run.outputEnded(end);
  }

  /** All results together: nothing else runs in the process. */
  #reportCost(machine: StreamMachine): void {
    const { total } = this.#costs.account;
    const known = this.#run.feed.results.length > 0 && !hasOpenWork(machine);
    if (!this.#connection.started) this.#run.spent(NO_COST);
    else this.#run.spent(known ? total : incomplete(total));
  }
}
