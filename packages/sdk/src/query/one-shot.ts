import { flagRefusal } from '../cli/flag-refusal.ts';
import type { CoxswainError } from '../errors/base.ts';
import { NoResultError, UnexpectedMessageError } from '../errors/stream.ts';
import type { BackgroundVersionCheck } from '../launch/background-version-check.ts';
import { type Launch, prepareLaunch } from '../launch/launch.ts';
import { sessionIdOf } from '../messages/fields.ts';
import { incomplete, NO_COST } from '../messages/turn-cost.ts';
import type { QueryPlan } from '../options/plan.ts';
import { lineTooLong } from '../process/line-too-long.ts';
import { type OutputEnd, OutputReader } from '../process/output-reader.ts';
import { endProcess, gracefulSteps, interruptSteps } from '../process/shutdown.ts';
import { type ExitReport, NEVER_STARTED, type Transport } from '../process/transport.ts';
import { CostLedger, type LedgerHost } from '../session/cost-ledger.ts';
import { MessageWarnings } from '../session/message-warnings.ts';
import type { FeedOptions } from '../stream/feed.ts';
import { within } from '../timing/timers.ts';
import type { Warning } from '../warnings/warning.ts';
import { encodeLine, userFrame } from '../wire/encode.ts';
import type { OversizeLine } from '../wire/lines.ts';
import type { Message } from '../wire/messages.ts';
import type { QueryRun, QuerySource } from './run.ts';
import { hasOpenWork, type StreamMachine } from './stream-machine.ts';

/** Runs a query as a process of its own, which reads its prompt to EOF and is read as fast as the stream is. */
export class OneShot<T> implements QuerySource, LedgerHost {
  readonly feedOptions: FeedOptions = {
    drained: true,
    pull: () => this.#step(),
    onDemand: () => this.#reader?.resume(),
  };
  sessionId: string | undefined;
  release: string | undefined;
  readonly #plan: QueryPlan<T>;
  readonly #run: QueryRun<T>;
  readonly #warnings: MessageWarnings;
  readonly #costs: CostLedger;
  #reader: OutputReader | undefined;
  /** When the last chunk came. */
  #at = Date.now();
  /** Ends a start that is under way when the run is over. */
  readonly #unwanted = new AbortController();
  #transport: Transport | undefined;
  #launched: Launch | undefined;
  #badLinesInARow = 0;
  #failure: Error | undefined;
  #started: Promise<void> = Promise.resolve();
  #process: 'none' | 'starting' | 'running' | 'exited' = 'none';

  constructor(plan: QueryPlan<T>, run: QueryRun<T>) {
    this.#plan = plan;
    this.#run = run;
    this.#warnings = new MessageWarnings(plan.options, []);
    this.#costs = new CostLedger(this, plan.options);
  }

  get pid(): number | undefined {
    return this.#transport?.pid;
  }

  get #versionCheck(): BackgroundVersionCheck | undefined {
    return this.#launched?.versionCheck;
  }

  start(): Promise<void> {
    this.#process = 'starting';
    this.#started = this.#launch().catch((error) => {
      if (this.#process === 'starting') this.#process = 'none';
      throw error;
    });
    return this.#started;
  }

  get versionPending(): boolean {
    return this.#versionCheck?.pending === true;
  }

  /** A CLI that is too old may fail before its version is known, which says more. */
  async versionKnown(): Promise<void> {
    if (this.#versionCheck) await within(this.#plan.limits.versionTimeoutMs, this.#versionCheck.refusal);
  }

  explained(failure: CoxswainError, stderr: string): CoxswainError {
    const release = this.release ?? this.#versionCheck?.version ?? this.#launched?.version;
    return flagRefusal(failure, stderr, { mode: 'query', path: this.#launched?.path ?? '', release }) ?? failure;
  }

  leave(): void {
    this.#transport?.ending?.();
    this.#reader?.resume();
    // The end must be seen although the stream may not be read.
    this.#stepThrough();
  }

  finish(how: 'leave' | 'stop', failure: Error | undefined, machine: StreamMachine): void {
    this.#failure = failure;
    this.#unwanted.abort();
    this.#versionCheck?.cancel();
    this.#reader?.stop();
    this.#tellCost(machine);
    const end = (): void => this.#run.report.end(how === 'leave' ? 'ended' : 'stopped', failure);
    // It is the last event, after that of the exit.
    const isLast = this.#process === 'none' || this.#process === 'exited';
    if (isLast) end();
    void this.#end(how).then((exit) => {
      if (!isLast) end();
      this.#run.gone(exit);
    });
  }

  async #launch(): Promise<void> {
    for (const warning of this.#plan.warnings) this.#run.notice(warning);
    const options = Object.assign({}, this.#plan.options, { signal: this.#unwanted.signal });
    const notice = (warning: Warning): unknown => this.#run.over || this.#run.notice(warning);
    const watched = this.#run.watchers.environment();
    const plan = { ...this.#plan, options, mode: 'query', toleratesUnknown: false, watched } as const;
    const launch = await prepareLaunch(plan, notice).catch((error) => {
      this.#stillWanted();
      throw error;
    });
    this.#launched = launch;
    this.#stillWanted();
    await launch.transport.start(launch.request);
    this.#follow(launch);
  }

  /** @throws what ended the run while it was starting */
  #stillWanted(): void {
    if (!this.#run.over) return;
    this.#versionCheck?.cancel();
    throw this.#failure ?? new NoResultError('it was closed before the CLI had started');
  }

  /** The process runs: listens to everything that can come from it. */
  #follow({ transport, versionCheck }: Launch): void {
    this.#transport = transport;
    this.#process = 'running';
    this.#run.report.event({ type: 'started', pid: transport.pid ?? null });
    void transport.exited.then((report) => this.#onExit(report));
    const reader = this.#readOutput(transport);
    if (this.#run.over) {
      reader.stop();
      this.#stillWanted();
    }
    void versionCheck?.refusal.then((error) => error && this.#run.refused(error));
    // A CLI that leaves without reading its prompt says why by how it exits.
    this.#sendPrompt(transport).catch((error: Error) =>
      this.#run.report.log('debug', 'coxswain: prompt not taken', { error: error.message }),
    );
  }

  /** Text as it is, content blocks as one frame. */
  async #sendPrompt(transport: Transport): Promise<void> {
    const { prompt } = this.#plan;
    await transport.write(typeof prompt === 'string' ? prompt : encodeLine(userFrame(prompt)));
    await transport.endInput();
  }

  #readOutput(transport: Transport): OutputReader {
    const reader = new OutputReader(transport, {
      limits: this.#plan.limits,
      stderr: this.#run.stderr,
      wanted: () =>
        (this.#waitsForEnd && this.#run.feed.bytes < this.#plan.limits.bufferBytes) || this.#run.feed.wanted,
      sink: {
        chunk: () => this.#onChunk(),
        message: (message, rawJson) => this.#onMessage(message, rawJson),
        undecodable: (error) => this.#onUndecodable(error),
        overflow: () => this.#onOverflow(),
        oversize: (line) => this.#onOversize(line),
        warn: (warning) => this.#run.notice(warning),
        waiting: (waiting) => this.#run.waiting(waiting),
      },
    });
    void reader.read().then((end) => this.#onOutputEnd(end));
    this.#reader = reader;
    return reader;
  }

  /** A run that only waits for its end is read without demand. */
  get #waitsForEnd(): boolean {
    return this.#run.state === 'pending-end';
  }

  /** Decodes the next line that was read; false when there is none, or reading has stopped. */
  #step(): boolean {
    return !this.#run.over && this.#reader !== undefined && this.#reader.step();
  }

  #stepThrough(): void {
    while (this.#step());
  }

  #onChunk(): void {
    this.#at = Date.now();
    if (this.#waitsForEnd) this.#stepThrough();
    else this.#run.feed.wake();
  }

  #onMessage(message: Message, rawJson: string): void {
    this.#badLinesInARow = 0;
    for (const found of this.#warnings.of(message)) this.#run.notice(found);
    this.sessionId ??= sessionIdOf(message);
    if (message.type === 'result') {
      this.#costs.told(message, undefined);
    } else if (message.type === 'system' && message.subtype === 'init') {
      if (this.release === undefined) for (const found of this.#warnings.ofOneShot(message)) this.#run.notice(found);
      this.release = message.claude_code_version;
      this.#versionCheck?.reported(message.claude_code_version);
    }
    this.#run.message(message, rawJson, this.#at);
  }

  #onUndecodable(error: CoxswainError): void {
    if (!(error instanceof UnexpectedMessageError)) this.#badLinesInARow++;
    this.#run.undecodable(error, this.#badLinesInARow);
  }

  /** The lines before the one that is too long may not be decoded yet. */
  #onOverflow(): void {
    this.#stepThrough();
    this.#run.oversize();
  }

  #onOversize({ bytes }: OversizeLine): void {
    this.#onOverflow();
    if (this.#run.over) return;
    this.#run.notice(lineTooLong(bytes, this.#plan.limits.maxLineBytes));
  }

  #onExit(report: ExitReport): void {
    const { exitCode, signal, ended } = report;
    this.#process = 'exited';
    this.#run.report.event({ type: 'exit', exitCode, signal, ended });
    if (!this.#run.over) this.#run.gone(report);
  }

  async #onOutputEnd(end: OutputEnd): Promise<void> {
    if (end.exit) await this.versionKnown();
    this.#run.outputEnded(end);
  }

  /** All results together: nothing else runs in the process. */
  #tellCost(machine: StreamMachine): void {
    const { total } = this.#costs.account;
    const known = this.#run.feed.results.length > 0 && !hasOpenWork(machine);
    if (!this.#transport) this.#run.spent(NO_COST);
    else this.#run.spent(known ? total : incomplete(total));
  }

  async #end(how: 'leave' | 'stop'): Promise<ExitReport> {
    const { limits } = this.#plan;
    const ladder = how === 'leave' ? gracefulSteps(limits) : interruptSteps(limits);
    if (this.#transport) return endProcess(this.#transport, ladder, true);
    // A transport may take forever to start; what it has started later is ended all the same.
    const started = this.#started.catch(() => {});
    const ended = started.then(() => (this.#transport ? endProcess(this.#transport, ladder) : NEVER_STARTED));
    await within(limits.graceMs, started, { unref: true });
    return this.#transport ? ended : NEVER_STARTED;
  }
}
