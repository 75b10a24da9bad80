import { TurnEndedError, TurnQueueFullError } from '../errors/session.ts';
import { AbortError, TimeoutError } from '../errors/stream.ts';
import type { Limits } from '../limits.ts';
import { retryDelayOf } from '../messages/api-failure.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { checkTurn } from '../options/turn.ts';
import type { EventBody } from '../report/events.ts';
import { onAbort } from '../timing/caller.ts';
import { Timers } from '../timing/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { CostLedger } from './cost-ledger.ts';
import { Interruption } from './interrupt.ts';
import type { Observers } from './observers.ts';
import { PromptGate } from './prompt-gate.ts';
import type { SessionTurn } from './turn.ts';
import { TurnRouter } from './turn-router.ts';
import type { SettingsKeeper } from './turn-settings.ts';

type AnyTurn = SessionTurn<unknown>;

/** What the turns need from their session. */
export interface TurnsHost {
  readonly limits: Limits;
  /** The session is ready and not stopping. */
  canSend(): boolean;
  send(frame: UserFrame): Promise<void>;
  /** The settings of the CLI, which a turn may override. */
  readonly settings: Pick<SettingsKeeper, 'apply' | 'lent' | 'giveBack' | 'promptWritten'>;
  /** The pipe was paused for a slow reader within the last `ms`: the CLI may not have been silent. */
  heldUpWithin(ms: number): boolean;
  /** Asks the CLI to stop what it is doing. */
  interrupt(): Promise<unknown>;
  /** A turn that was given up did not end. */
  stuck(cause: Error): void;
  readonly observers: Pick<Observers, 'message'>;
  readonly costs: CostLedger;
  event(event: EventBody): void;
}

/** The turns of a session: one runs, the others wait in order. */
export class Turns {
  /** Keeps the next prompt back. */
  readonly gate: PromptGate;
  /** Knows which turn each frame belongs to. */
  readonly router: TurnRouter;
  readonly #host: TurnsHost;

  readonly #waiting: AnyTurn[] = [];
  readonly #timers = new Timers<'whole' | 'stuck' | 'silence'>();
  readonly #interruption = new Interruption();
  #current: AnyTurn | undefined;
  /** The turn that observers were told has started. */
  #begun: string | undefined;
  /** The current turn's prompt is being prepared and written. */
  #preparing = false;
  #prepared: Promise<void> = Promise.resolve();
  #callbackRuns = false;
  #idleWaiters: (() => void)[] = [];

  constructor(host: TurnsHost) {
    this.#host = host;
    this.gate = new PromptGate(() => this.advance(), host.limits.backgroundWaitMs);
    this.router = new TurnRouter({
      limits: host.limits,
      observers: host.observers,
      costs: host.costs,
      event: (event) => host.event(event),
      deliver: (turn, message, rawJson, at) => {
        // An observer that got the message first may have ended the turn.
        if (this.#current?.id === turn) this.#current.feed.message(message, rawJson, at);
      },
      heard: (message) => this.#armSilence(message),
      began: () => this.#tellBegin(),
      ended: (turn) => this.#end(turn),
      advanced: (started) => {
        // The caller's own interrupt reports its outcome.
        if (started && this.#interruption.runStarted()) host.interrupt().catch(() => {});
        this.advance();
      },
    });
  }

  get current(): AnyTurn | undefined {
    return this.#current;
  }

  /** True when the prompt of the current turn has been sent. */
  get running(): boolean {
    return this.#current !== undefined && this.#isSent(this.#current);
  }

  /** True when the CLI has yet to take up a prompt of the current turn. */
  get starting(): boolean {
    return this.running && this.router.starting;
  }

  /** True when no turn runs or waits, the CLI does nothing unasked, and no background task is open. */
  get quiet(): boolean {
    return !this.#current && this.#waiting.length === 0 && !this.#preparing && this.router.quiet;
  }

  /** True when a hook is asked about a prompt of the current turn, and the turn was interrupted. */
  refusesPrompt(): boolean {
    return this.starting && this.#interruption.refusesPrompt();
  }

  add(turn: AnyTurn): void {
    const { maxWaitingTurns } = this.#host.limits;
    const { signal } = turn.options;
    if (signal?.aborted) return turn.feed.end(new AbortError(signal.reason));
    if (this.#waiting.length >= maxWaitingTurns) return turn.feed.end(new TurnQueueFullError(maxWaitingTurns));
    if (signal) {
      const forget = onAbort(signal, () => this.#abandon(turn, new AbortError(signal.reason)));
      void turn.feed.ended.then(forget);
    }
    this.#waiting.push(turn);
    this.advance();
  }

  /** Takes back a turn whose prompt has not been written; false when it has. */
  takeBack(turn: AnyTurn): boolean {
    if (this.#current === turn && !this.#isSent(turn)) {
      this.#release();
    } else {
      const at = this.#waiting.indexOf(turn);
      if (at === -1) return false;
      this.#waiting.splice(at, 1);
    }
    turn.cancel();
    this.advance();
    return true;
  }

  /** Adds a prompt to the turn that runs. @throws OptionsError; TurnEndedError when it waits, or is over */
  async addTo(turn: AnyTurn, prompt: UserContent): Promise<void> {
    const { problem, content } = checkTurn(prompt, {});
    if (problem) throw problem;
    // Otherwise the prompt is written at once: what the caller does next, such as an interrupt, comes after it.
    if (this.#preparing && this.#current === turn && !this.running) await this.#prepared;
    if (this.#current !== turn || turn.feed.over) throw new TurnEndedError();
    const id = crypto.randomUUID();
    this.router.sent('addition', id);
    this.#interruption.forget();
    // Without a priority: `now` would cut the running turn short and begin another.
    await this.#write(userFrame(content, id), id);
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
    const missed = stillQueued?.some((id) => this.router.has(id)) ?? true;
    this.#interruption.asked(this.running && missed);
  }

  /** Sends the next prompt if nothing prevents it. */
  advance(): void {
    if (this.#waiting.length === 0) this.gate.forgetRun();
    const busy = this.#current || this.#preparing || this.gate.held || !this.#host.canSend();
    const blocked = busy || this.#waiting.length === 0 || this.gate.waitsForRun(this.router.free);
    const turn = blocked ? undefined : this.#waiting.shift();
    if (turn) this.#prepared = this.#begin(turn);
    else this.#checkIdle();
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
    this.#checkIdle();
  }

  /** The result of the running turn came, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.#current;
    if (!turn || !this.#isSent(turn)) return;
    const cost = this.#drop();
    turn.feed.end(failure);
    this.#tellEnd('no-result', cost);
    this.advance();
  }

  /** Resolves when no turn runs or waits and no task is open. */
  idle(): Promise<void> {
    if (this.quiet) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** While a user callback runs, the CLI waits for it: its silence does not count. */
  callbackRuns(runs: boolean): void {
    this.router.pause(runs);
    this.#callbackRuns = runs;
    if (runs) this.#timers.clear('silence');
    else this.#armSilence();
  }

  async #begin(turn: AnyTurn): Promise<void> {
    const { timeoutMs } = turn.options;
    this.#current = turn;
    this.#preparing = true;
    if (timeoutMs !== undefined) {
      this.#timers.set('whole', timeoutMs, () => this.#abandon(turn, new TimeoutError('timeoutMs', timeoutMs)));
    }
    try {
      await this.#host.settings.apply(turn.options);
      await this.gate.released();
      if (this.#current === turn) await this.#send(turn);
    } catch (error) {
      turn.feed.end(error instanceof Error ? error : new Error(String(error)));
      const cost = this.#current === turn ? this.#drop() : undefined;
      this.#tellEnd('no-result', cost);
    } finally {
      this.#preparing = false;
      this.#giveBack();
      this.advance();
    }
  }

  async #send(turn: AnyTurn): Promise<void> {
    const { costs, settings } = this.#host;
    this.router.sent('turn', turn.id);
    costs.sent(turn.id, turn.feed.charge(), turn.content === '/clear', this.router.inBackground);
    settings.promptWritten(turn.content);
    this.#armSilence();
    await this.#host.send(userFrame(turn.content, turn.id));
    turn.sent = true;
  }

  async #write(frame: UserFrame, id: string): Promise<void> {
    try {
      await this.#host.send(frame);
    } catch (error) {
      this.router.withdrawn(id);
      throw error;
    }
  }

  #isSent(turn: AnyTurn): boolean {
    return this.router.turn === turn.id;
  }

  /** Restarts the clock of `idleTimeoutMs`, and allows for the time that the CLI itself waits for the API. */
  #armSilence(message?: Message): void {
    const turn = this.#current;
    const ms = turn?.options.idleTimeoutMs;
    if (!turn || ms === undefined || turn.feed.over || !this.running || this.#callbackRuns) return;
    this.#timers.set('silence', ms + (message ? retryDelayOf(message) : 0), () => {
      if (this.#host.heldUpWithin(ms)) this.#armSilence();
      else this.#abandon(turn, new TimeoutError('idleTimeoutMs', ms));
    });
  }

  /** The caller gives the turn up: it fails at once, and the CLI has a moment to stop it. */
  #abandon(turn: AnyTurn, error: Error): void {
    turn.feed.end(error, true);
    if (this.takeBack(turn)) return;
    if (this.#current !== turn) return;
    this.#timers.clear();
    this.#timers.set('stuck', this.#host.limits.interruptTimeoutMs, () => this.#host.stuck(error));
    // The timer above decides; a CLI that refuses an interrupt may still end its turn.
    this.#host.interrupt().catch(() => {});
  }

  /** Nothing more will come for a turn, which may have failed before. It has no result when its prompt came back unread. */
  #end(sent: string | undefined): void {
    const turn = this.#current;
    const result = turn?.feed.results.at(-1);
    const cost = sent === undefined ? undefined : this.#host.costs.over(sent);
    this.#release();
    if (result) turn?.feed.end();
    else turn?.cancel();
    this.#tellEnd(result && outcomeOf(result).kind, cost);
    this.advance();
  }

  /** The current turn is over without a result. */
  #drop(): TurnCost | undefined {
    const cost = this.#current && this.#host.costs.over(this.#current.id, false);
    this.router.drop();
    this.#release();
    return cost;
  }

  #release(): void {
    if (this.#current) this.#host.costs.cut(this.#current.id);
    this.#current = undefined;
    this.#interruption.forget();
    this.#timers.clear();
    this.#giveBack();
  }

  /** A turn's own settings end with it. */
  #giveBack(): void {
    const { settings } = this.#host;
    if (!settings.lent || this.#current || this.#preparing || !this.#host.canSend()) return;
    const release = this.gate.hold();
    // Tried again before the next prompt, whose turn fails if that fails.
    settings
      .giveBack()
      .catch(() => {})
      .finally(release);
  }

  #tellBegin(): void {
    if (!this.#current) return;
    this.#begun = this.#current.id;
    this.#host.event({ type: 'turn-started', turn: this.#begun });
  }

  /** Every turn that was reported as started is reported as ended. Without a cost it was given up before its last result. */
  #tellEnd(outcome = 'no-result', told?: TurnCost): void {
    const turn = this.#begun;
    if (turn === undefined) return;
    this.#begun = undefined;
    const cost = told ?? this.#host.costs.cut(turn);
    this.#host.event({ type: 'turn-ended', turn, outcome, costUsd: cost.costUsd, cost });
  }

  #checkIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.quiet) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
