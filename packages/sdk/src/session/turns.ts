import type { InterruptReceipt } from '../control/operations.ts';
import { errorOf } from '../errors/base.ts';
import { TurnCancelledError, TurnEndedError, TurnStuckError } from '../errors/session.ts';
import { TimeoutError } from '../errors/stream.ts';
import { retryDelayOf } from '../messages/api-failure.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { checkTurn } from '../options/turn.ts';
import { Waiters } from '../stream/queue.ts';
import { Timers } from '../timing/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import { interruptSession } from './interrupt.ts';
import type { LiveSession } from './live.ts';
import { PromptGate } from './prompt-gate.ts';
import { enqueue, type SessionTurn } from './turn.ts';
import { TurnRouter } from './turn-router.ts';
import { isFree, isQuiet, isStarting, worksByItself } from './turn-tracker.ts';

type AnyTurn = SessionTurn<unknown>;

/** The turns of a session: one runs, the others wait in order. */
export class Turns {
  readonly gate: PromptGate;
  readonly router: TurnRouter;
  readonly #session: LiveSession;
  readonly #waiting: AnyTurn[] = [];
  readonly #timers = new Timers<'whole' | 'stuck' | 'silence'>();
  #current: AnyTurn | undefined;
  /** `pending`: after an interrupt the CLI may still take up a prompt of the turn. `refused`: a hook has refused it. */
  #interrupt: 'none' | 'pending' | 'refused' = 'none';
  /** The turn that observers were told has started. */
  #begun: string | undefined;
  /** The current turn's prompt is being prepared and written. */
  #preparing = false;
  #prepared: Promise<void> = Promise.resolve();
  #callbackRuns = false;
  readonly #idle = new Waiters();

  constructor(session: LiveSession) {
    this.#session = session;
    this.gate = new PromptGate(() => this.advance(), session.limits.backgroundWaitMs);
    this.router = new TurnRouter(session, this);
  }

  get current(): AnyTurn | undefined {
    return this.#current;
  }

  get waiting(): readonly AnyTurn[] {
    return this.#waiting;
  }

  /** True when the prompt of the current turn has been sent. */
  get running(): boolean {
    return this.#current !== undefined && this.#isSent(this.#current);
  }

  /** True when the CLI has yet to take up a prompt of the current turn. */
  get starting(): boolean {
    return this.running && isStarting(this.router.tracker);
  }

  /** True when no turn runs or waits, the CLI does nothing unasked, and no background task is open. */
  get quiet(): boolean {
    return !this.#current && this.#waiting.length === 0 && !this.#preparing && isQuiet(this.router.tracker);
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

  /** True when a hook that is asked about a prompt of the current turn must refuse it: the turn was interrupted. */
  refusesPrompt(): boolean {
    if (!this.starting || this.#interrupt === 'none') return false;
    this.#interrupt = 'refused';
    return true;
  }

  add(turn: AnyTurn, refusal: Error | undefined): void {
    const { maxWaitingTurns: limit } = this.#session.limits;
    enqueue(this.#waiting, turn, { refusal, limit, abort: (error) => this.#abandon(turn, error) });
    this.advance();
  }

  /** Ends a turn early; one that waits is taken back unsent. */
  async interrupt(turn: AnyTurn): Promise<InterruptReceipt> {
    if (this.#takeBack(turn) || this.#current !== turn) return { stillQueued: [] };
    return interruptSession(this.#session);
  }

  /** Takes back a turn whose prompt has not been written; false when it has. */
  #takeBack(turn: AnyTurn): boolean {
    if (this.#current === turn && !this.#isSent(turn)) {
      this.#release();
    } else {
      const at = this.#waiting.indexOf(turn);
      if (at === -1) return false;
      this.#waiting.splice(at, 1);
    }
    turn.feed.end(new TurnCancelledError());
    this.advance();
    return true;
  }

  /** Adds a prompt to the turn that runs. @throws OptionsError; TurnEndedError when it waits, or is over */
  async steer(turn: AnyTurn, prompt: UserContent): Promise<void> {
    const { problem, content } = checkTurn(prompt, {});
    if (problem) throw problem;
    // Otherwise the prompt is written at once: what the caller does next, such as an interrupt, comes after it.
    if (this.#preparing && this.#current === turn && !this.running) await this.#prepared;
    if (this.#current !== turn || turn.feed.hasEnded) throw new TurnEndedError();
    const id = crypto.randomUUID();
    this.#session.watchers.prompt({ turn: turn.id, content, steers: true, job: null, at: Date.now() });
    this.router.sent('addition', id);
    this.#interrupt = 'none';
    // Without a priority: `now` would cut the running turn short and begin another.
    await this.#write(userFrame(content, id), id);
  }

  /** The same for whichever turn is the current one. @throws OptionsError, TurnEndedError */
  async steerCurrent(prompt: UserContent): Promise<void> {
    if (!this.#current) throw new TurnEndedError();
    await this.steer(this.#current, prompt);
  }

  /** Writes a raw frame. The next prompt waits until the CLI is done with it. */
  async push(frame: UserFrame): Promise<void> {
    if (this.#preparing) await this.#prepared;
    const id = frame.uuid ?? crypto.randomUUID();
    this.router.sent('pushed', id);
    await this.#write({ ...frame, uuid: id }, id);
  }

  /** The CLI has answered an interrupt; `stillQueued` are the prompts that still wait, if it says so. */
  interrupted(stillQueued: readonly string[] | undefined): void {
    const missed = stillQueued?.some((id) => this.router.tracker.prompts.has(id)) ?? true;
    if (!this.running || !missed) this.#interrupt = 'none';
    else if (this.#interrupt === 'none') this.#interrupt = 'pending';
  }

  /** Sends the next prompt if nothing prevents it. */
  advance(): void {
    if (this.#waiting.length === 0) this.gate.forgetRun();
    const busy = this.#current || this.#preparing || this.gate.held || !this.#canSend;
    const blocked = busy || this.#waiting.length === 0 || this.gate.waitsForRun(isFree(this.router.tracker));
    const turn = blocked ? undefined : this.#waiting.shift();
    if (turn) this.#prepared = this.#begin(turn);
    else if (this.quiet) this.#idle.wake();
  }

  /** Fails the turn that runs and those that wait. The CLI may still be working. */
  failAll(why: () => Error, whyWaiting: () => Error = why): void {
    const running = this.#current;
    const waiting = this.#waiting.splice(0);
    this.#release();
    if (running) running.feed.end(why());
    this.#tellEnd();
    for (const turn of waiting) turn.feed.end(whyWaiting());
  }

  /** The same when the process is gone. */
  close(why: () => Error, whyWaiting?: () => Error): void {
    this.failAll(why, whyWaiting);
    this.router.close();
    this.gate.forgetRun();
    if (this.quiet) this.#idle.wake();
  }

  /** The result of the running turn came, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.#current;
    if (!turn || !this.#isSent(turn)) return;
    this.#fail(turn, failure);
    this.advance();
  }

  /** Fails the turn that runs; the session learns by its result that it is over. */
  failRunning(failure: Error): void {
    if (this.running) this.#current?.feed.end(failure);
  }

  /** Resolves when no turn runs or waits and no task is open. */
  async idle(): Promise<void> {
    if (!this.quiet) await this.#idle.wait();
  }

  /** A message came that is no background work: restarts the clock of `idleTimeoutMs`, plus the CLI's own wait for the API. */
  heard(message?: Message): void {
    const turn = this.#current;
    const ms = turn?.options.idleTimeoutMs;
    if (!turn || ms === undefined || turn.feed.hasEnded || !this.running || this.#callbackRuns) return;
    this.#timers.set('silence', ms + (message ? retryDelayOf(message) : 0), () => {
      const { link, held } = this.#session;
      // The CLI may have been silent because a slow reader holds up the pipe, or a store the messages.
      if (link?.heldUpWithin(ms) || held.holding) this.heard();
      else this.#abandon(turn, new TimeoutError('idleTimeoutMs', ms));
    });
  }

  began(): void {
    if (!this.#current) return;
    this.#begun = this.#current.id;
    this.#session.report.event({ type: 'turn-started', turn: this.#begun });
  }

  /** A run of the current turn has started. One whose prompt was refused ends at once. */
  runStarted(): void {
    if (this.#interrupt === 'refused') this.#interrupt = 'pending';
    // The caller's own interrupt reports its outcome.
    else if (this.#interrupt === 'pending') interruptSession(this.#session).catch(() => {});
    this.advance();
  }

  /** Nothing more will come for a turn, which may have failed before. It has no result when its prompt came back unread. */
  ended(sent: string | undefined): void {
    const turn = this.#current;
    const result = turn?.feed.results.at(-1);
    const cost = sent === undefined ? undefined : this.#session.costs.over(sent);
    this.#release();
    turn?.feed.end(result ? undefined : new TurnCancelledError());
    this.#tellEnd(result && outcomeOf(result).kind, cost);
    this.advance();
  }

  /** The session is ready and not stopping, and no request goes first. */
  get #canSend(): boolean {
    return this.#session.state === 'running' && this.#session.requests.queued === 0;
  }

  async #begin(turn: AnyTurn): Promise<void> {
    const { timeoutMs } = turn.options;
    this.#current = turn;
    this.#preparing = true;
    turn.progress = 'running';
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#abandon(turn, new TimeoutError('timeoutMs', timeoutMs)));
    }
    try {
      await this.#session.settings.apply(turn.options);
      await this.gate.released();
      if (this.#current === turn) await this.#send(turn);
    } catch (error) {
      this.#fail(turn, errorOf(error));
    } finally {
      this.#preparing = false;
      this.#giveBack();
      this.advance();
    }
  }

  async #send(turn: AnyTurn): Promise<void> {
    const { costs, settings } = this.#session;
    this.router.sent('turn', turn.id);
    costs.sent(turn.id, turn.feed.charge(), turn.content === '/clear', worksByItself(this.router.tracker));
    settings.promptWritten(turn.content);
    this.heard();
    await this.#session.write(userFrame(turn.content, turn.id));
    turn.sent = true;
  }

  async #write(frame: UserFrame, id: string): Promise<void> {
    try {
      await this.#session.write(frame);
    } catch (error) {
      this.router.withdrawn(id);
      throw error;
    }
  }

  #isSent(turn: AnyTurn): boolean {
    return this.router.tracker.turn === turn.id;
  }

  /** The caller gives the turn up: it fails at once, and the CLI has a moment to stop it. */
  #abandon(turn: AnyTurn, error: Error): void {
    turn.feed.end(error, true);
    if (this.#takeBack(turn) || this.#current !== turn) return;
    this.#timers.clear();
    const { interruptTimeoutMs } = this.#session.limits;
    this.#timers.set('stuck', interruptTimeoutMs, () =>
      this.#session.fail(new TurnStuckError(interruptTimeoutMs, error)),
    );
    // The timer above decides; a CLI that refuses an interrupt may still end its turn.
    interruptSession(this.#session).catch(() => {});
  }

  /** No result of the turn will come. It may have been released before, when it was given up. */
  #fail(turn: AnyTurn, failure: Error): void {
    let cost: TurnCost | undefined;
    if (this.#current === turn) {
      cost = this.#session.costs.over(turn.id, false);
      this.router.drop();
      this.#release();
    }
    turn.feed.end(failure);
    this.#tellEnd('no-result', cost);
  }

  #release(): void {
    if (this.#current) this.#session.costs.cut(this.#current.id);
    this.#current = undefined;
    this.#interrupt = 'none';
    this.#timers.clear();
    this.#giveBack();
  }

  /** A turn's own settings end with it. */
  #giveBack(): void {
    const { settings } = this.#session;
    if (!settings.lent || this.#current || this.#preparing || !this.#canSend) return;
    const release = this.gate.hold();
    // Tried again before the next prompt, whose turn fails if that fails.
    settings
      .giveBack()
      .catch(() => {})
      .finally(release);
  }

  /** Every turn that was reported as started is reported as ended. Without a cost it was given up before its last result. */
  #tellEnd(outcome = 'no-result', told?: TurnCost): void {
    const turn = this.#begun;
    if (turn === undefined) return;
    this.#begun = undefined;
    const cost = told ?? this.#session.costs.cut(turn);
    this.#session.report.event({ type: 'turn-ended', turn, outcome, costUsd: cost.costUsd, cost });
  }
}
