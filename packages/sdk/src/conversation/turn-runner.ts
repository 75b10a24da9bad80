import { steadyNow } from '../clock.ts';
import type { InterruptReceipt } from '../control/answers.ts';
import { errorOf } from '../errors/base.ts';
import { TurnParkedError } from '../errors/park.ts';
import { TurnCancelledError, TurnEndedError, TurnStuckError } from '../errors/session.ts';
import { TimeoutError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { retryDelayOf } from '../messages/api-failure.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { checkTurn } from '../options/turn.ts';
import type { EventBody } from '../report/events.ts';
import type { ObservedPrompt } from '../report/run-observer.ts';
import { Waiters } from '../stream/queue.ts';
import { Timers } from '../timing/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { CostLedger } from './cost-ledger.ts';
import { PromptGate } from './prompt-gate.ts';
import type { QueuedTurn } from './turn.ts';
import { TurnRouter } from './turn-router.ts';
import type { SettingsKeeper } from './turn-settings.ts';
import { isFree, isQuiet, isStarting, leftovers, worksByItself } from './turn-tracker.ts';

/** The parts of a process that turns use. */
export interface RunnerHost {
  readonly limits: Pick<Limits, 'backgroundWaitMs' | 'bufferBytes' | 'interruptTimeoutMs'>;
  readonly settings: SettingsKeeper;
  readonly costs: CostLedger;
  readonly report: {
    event(event: EventBody): void;
    message(message: Message, rawJson: string, turn: string | undefined, at: number): void;
    prompt(prompt: ObservedPrompt): void;
  };
  /** True when the handshake is done, nothing is ending, and no request goes first. */
  readonly canSend: boolean;
  readonly connection: { send(frame: object): Promise<void> };
  /** Whether the CLI may have been silent in the last `ms` because a reader or a store is slow. */
  heldUpWithin(ms: number): boolean;
  interrupt(): Promise<InterruptReceipt>;
  fail(failure: Error): void;
  /** A prompt may be sent, or a turn has ended: the queue should look again. */
  advance(): void;
}

/** The turn that runs, and how its end is reported. */
interface Running {
  readonly turn: QueuedTurn;
  readonly ended: (failure: Error | undefined) => void;
}

/** Runs turns on one CLI process, one at a time. */
export class TurnRunner {
  readonly gate: PromptGate;
  readonly router: TurnRouter;
  readonly #host: RunnerHost;
  readonly #timers = new Timers<'whole' | 'stuck' | 'interrupted' | 'silence'>();
  #running: Running | undefined;
  /** `pending`: after an interrupt the CLI may still take up a prompt of the turn. `refused`: a hook has refused it. */
  #interrupt: 'none' | 'pending' | 'refused' = 'none';
  /** The turn that was reported as started. */
  #begun: string | undefined;
  /** True while the prompt of the current turn is being prepared and written. */
  #preparing = false;
  #prepared: Promise<void> = Promise.resolve();
  #callbackRuns = false;
  readonly #idle = new Waiters();

  constructor(host: RunnerHost) {
    this.#host = host;
    this.gate = new PromptGate(() => this.advance(), host.limits.backgroundWaitMs);
    this.router = new TurnRouter(host, this);
  }

  get current(): QueuedTurn | undefined {
    return this.#running?.turn;
  }

  /** True when the prompt of the current turn has been sent. */
  get isSent(): boolean {
    return this.current !== undefined && this.#wasSent(this.current);
  }

  /** True while the CLI has not taken up a prompt of the current turn. */
  get starting(): boolean {
    return this.isSent && isStarting(this.router.tracker);
  }

  /** True when no turn runs, the CLI does nothing on its own, and no background task is open. */
  get quiet(): boolean {
    return !this.#running && !this.#preparing && isQuiet(this.router.tracker);
  }

  /** While a user callback runs, the CLI waits for it: its silence does not count. */
  get callbackRuns(): boolean {
    return this.#callbackRuns;
  }

  set callbackRuns(runs: boolean) {
    this.#callbackRuns = runs;
    if (runs) this.#timers.clear('silence');
    else this.heard();
  }

  /** Whether a prompt that waits can be sent now. */
  accepts(): boolean {
    if (this.#running || this.#preparing || this.gate.held || !this.#host.canSend) return false;
    return !this.gate.waitsForRun(isFree(this.router.tracker));
  }

  /** No prompt waits. */
  nothingWaits(): void {
    this.gate.forgetRun();
  }

  /** Runs a turn. `ended` is called once: with the failure, or without one when the turn has its result. */
  run(turn: QueuedTurn, ended: Running['ended']): void {
    this.#running = { turn, ended };
    if (turn.parked) this.#resume(turn);
    else this.#prepared = this.#begin(turn);
  }

  /** True when a hook that is asked about a prompt of the current turn must refuse it: the turn was interrupted. */
  refusesPrompt(): boolean {
    if (!this.starting || this.#interrupt === 'none') return false;
    this.#interrupt = 'refused';
    return true;
  }

  /** Ends a turn early; one whose prompt has not been written is withdrawn. */
  async interrupt(turn: QueuedTurn): Promise<InterruptReceipt> {
    if (this.current !== turn || this.#withdraw(turn)) return { stillQueued: [] };
    return this.#host.interrupt();
  }

  /** Adds a prompt to the turn that runs. @throws OptionsError, TurnEndedError */
  async steer(turn: QueuedTurn | undefined, prompt: UserContent): Promise<void> {
    const { problem, content } = checkTurn(prompt, {});
    if (problem) throw problem;
    // Otherwise the prompt is written at once, before later calls such as an interrupt.
    if (this.#preparing && this.current === turn && !this.isSent) await this.#prepared;
    if (!turn || this.current !== turn || turn.feed.hasEnded) throw new TurnEndedError();
    this.#host.report.prompt({ turn: turn.id, content, steers: true, job: null, at: Date.now() });
    this.#interrupt = 'none';
    this.#timers.clear('interrupted');
    await this.#add(content);
    turn.additions.push(content);
  }

  /** Writes a raw frame. The next prompt waits until the CLI is done with it. */
  async push(frame: UserFrame): Promise<void> {
    if (this.#preparing) await this.#prepared;
    const id = frame.uuid ?? crypto.randomUUID();
    this.router.sent('pushed', id);
    await this.#write({ ...frame, uuid: id }, id);
  }

  /** The caller has given the turn up, which has failed: the CLI has a moment to stop it. */
  abandon(turn: QueuedTurn, error: Error): void {
    if (this.current !== turn || this.#withdraw(turn)) return;
    this.#timers.clear();
    const { interruptTimeoutMs: ms } = this.#host.limits;
    this.#timers.set('stuck', ms, () => this.#host.fail(new TurnStuckError(ms, error)));
    // The timer above decides; a CLI that refuses an interrupt may still end its turn.
    this.#host.interrupt().catch(() => {});
  }

  /**
   * The CLI has answered an interrupt. `stillQueued` are the prompts that still wait, if it reports them; `takenUp` is true if it
   * had asked about the turn before: it then stops the turn, although no run has started.
   */
  interrupted(stillQueued: readonly string[] | undefined, takenUp: boolean): void {
    const isQueued = stillQueued?.some((id) => this.router.tracker.prompts.has(id)) ?? true;
    // The CLI neither reports nor stops a prompt that it is just starting.
    const missed = isQueued || (this.starting && !takenUp);
    if (!this.isSent || !missed) this.#interrupt = 'none';
    else if (this.#interrupt === 'none') this.#interrupt = 'pending';
    // A caller who interrupts again and again does not extend the limit.
    if (this.isSent && !this.#timers.has('interrupted')) this.#limitEnd();
  }

  /** Fails the turn that runs. The CLI may still be working. */
  failCurrent(why: () => Error): void {
    const running = this.#running;
    const failure = running && why();
    this.#release();
    if (running) running.ended(failure);
    this.#reportEnd(failure instanceof TurnParkedError ? 'parked' : undefined);
  }

  /** The process has exited. */
  close(why: () => Error): void {
    this.failCurrent(why);
    this.router.close();
    this.gate.forgetRun();
    if (this.quiet) this.#idle.wake();
  }

  /** The result of the running turn arrived, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.current;
    if (!turn || !this.#wasSent(turn)) return;
    this.#fail(turn, failure);
    this.advance();
  }

  /** The turn that runs could not be stored: it fails for its reader, and ends here with its result. */
  failUnstored(failure: Error): void {
    if (this.isSent) this.current?.feed.end(failure);
  }

  /** Resolves when no turn runs and no task is open. */
  async idle(): Promise<void> {
    if (!this.quiet) await this.#idle.wait();
  }

  /** A message that is not background work restarts the clock of `idleTimeoutMs`, plus the time the CLI waits for the API. */
  heard(message?: Message): void {
    const turn = this.current;
    const ms = turn?.options.idleTimeoutMs;
    if (!turn || ms === undefined || turn.feed.hasEnded || !this.isSent || this.#callbackRuns) return;
    this.#timers.set('silence', ms + (message ? retryDelayOf(message) : 0), () => {
      if (this.#host.heldUpWithin(ms)) this.heard();
      else this.#timeUp(turn, new TimeoutError('idleTimeoutMs', ms));
    });
  }

  /** The CLI has taken the current turn up. */
  began(): void {
    if (!this.current) return;
    this.#begun = this.current.id;
    this.#host.report.event({ type: 'turn-started', turn: this.#begun });
  }

  /** A run of the current turn has started. One whose prompt was refused ends at once. */
  runStarted(): void {
    if (this.#interrupt === 'refused') this.#interrupt = 'pending';
    else if (this.#interrupt === 'pending') {
      this.#limitEnd();
      // The caller's own interrupt reports its outcome.
      this.#host.interrupt().catch(() => {});
    }
    this.advance();
  }

  /** Nothing more will arrive for a turn, which may have failed before. Without a result, its prompt was returned unread. */
  ended(sent: string | undefined): void {
    const running = this.#running;
    const result = running?.turn.feed.results.at(-1);
    const cost = sent === undefined ? undefined : this.#host.costs.over(sent);
    this.#release();
    running?.ended(result ? undefined : new TurnCancelledError());
    this.#reportEnd(result && outcomeOf(result).kind, cost);
    this.advance();
  }

  /** Something has changed: a prompt may be sent, or everything may be idle. */
  advance(): void {
    this.#host.advance();
    if (this.quiet) this.#idle.wake();
  }

  /** The CLI resumes the turn when it starts: nothing is written. */
  #resume(turn: QueuedTurn): void {
    this.#start(turn);
    this.router.resumed(turn.id);
    this.#host.costs.sent(turn.id, turn.feed.charge());
    turn.sent = true;
  }

  #start(turn: QueuedTurn): void {
    const { timeoutMs } = turn.options;
    turn.progress = 'running';
    turn.begunAt = steadyNow();
    if (timeoutMs === undefined) return;
    this.#timers.set('whole', Math.max(0, timeoutMs - turn.ranMs), () =>
      this.#timeUp(turn, new TimeoutError('timeoutMs', timeoutMs)),
    );
  }

  async #begin(turn: QueuedTurn): Promise<void> {
    this.#preparing = true;
    this.#start(turn);
    try {
      await this.#host.settings.apply(turn.options);
      await this.gate.released();
      if (this.current === turn) await this.#send(turn);
      for (const content of [...turn.additions]) if (this.current === turn) await this.#add(content);
    } catch (error) {
      this.#fail(turn, errorOf(error));
    } finally {
      this.#preparing = false;
      this.#restoreSettings();
      this.advance();
    }
  }

  async #send(turn: QueuedTurn): Promise<void> {
    const { costs, settings } = this.#host;
    // Before the write: the CLI may answer before the pipe reports that it has accepted the prompt.
    this.router.sent('turn', turn.id);
    costs.sent(turn.id, turn.feed.charge(), turn.content === '/clear', worksByItself(this.router.tracker));
    settings.promptWritten(turn.content);
    this.heard();
    await this.#host.connection.send(userFrame(turn.content, turn.id));
    turn.sent = true;
  }

  async #add(content: UserContent): Promise<void> {
    const id = crypto.randomUUID();
    this.router.sent('addition', id);
    // Without a priority: `now` would cut the running turn short and begin another.
    await this.#write(userFrame(content, id), id);
  }

  async #write(frame: UserFrame, id: string): Promise<void> {
    try {
      await this.#host.connection.send(frame);
    } catch (error) {
      this.router.withdrawn(id);
      throw error;
    }
  }

  /** Limits the time to the end of an interrupted turn. The CLI may wait for a callback, and its result for a reader or a store. */
  #limitEnd(): void {
    const { interruptTimeoutMs: ms } = this.#host.limits;
    this.#timers.set('interrupted', ms, () => {
      const waits = this.#callbackRuns || this.#host.heldUpWithin(ms) || leftovers(this.router.tracker).length > 0;
      if (waits) this.#limitEnd();
      else this.#host.fail(new TurnStuckError(ms));
    });
  }

  #wasSent(turn: QueuedTurn): boolean {
    return this.router.tracker.turn === turn.id;
  }

  /** Withdraws the current turn if its prompt has not been written; false when it has. */
  #withdraw(turn: QueuedTurn): boolean {
    if (this.#wasSent(turn)) return false;
    const running = this.#running;
    this.#release();
    running?.ended(new TurnCancelledError());
    this.advance();
    return true;
  }

  #timeUp(turn: QueuedTurn, error: Error): void {
    turn.feed.end(error, true);
    this.abandon(turn, error);
  }

  /** No result of the turn will arrive. It may have been released earlier, when it was abandoned. */
  #fail(turn: QueuedTurn, failure: Error): void {
    let cost: TurnCost | undefined;
    const running = this.#running;
    if (running?.turn === turn) {
      cost = this.#host.costs.over(turn.id, false);
      this.router.drop();
      this.#release();
      running.ended(failure);
    }
    this.#reportEnd('no-result', cost);
  }

  #release(): void {
    if (this.current) this.#host.costs.cut(this.current.id);
    this.#running = undefined;
    this.#interrupt = 'none';
    this.#timers.clear();
    this.#restoreSettings();
  }

  /** The settings of a turn end with it. */
  #restoreSettings(): void {
    const { settings, canSend } = this.#host;
    if (!settings.overridden || this.#running || this.#preparing || !canSend) return;
    const release = this.gate.hold();
    // Retried before the next prompt, whose turn fails if the retry fails.
    settings
      .restore()
      .catch(() => {})
      .finally(release);
  }

  /** Every turn that was reported as started is reported as ended. Without a cost, it was abandoned before its last result. */
  #reportEnd(outcome = 'no-result', known?: TurnCost): void {
    const turn = this.#begun;
    if (turn === undefined) return;
    this.#begun = undefined;
    const cost = known ?? this.#host.costs.cut(turn);
    this.#host.report.event({ type: 'turn-ended', turn, outcome, costUsd: cost.costUsd, cost });
  }
}
