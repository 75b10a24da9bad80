import { AbortError, TimeoutError } from '../errors/stream.ts';
import { TurnEndedError, TurnQueueFullError } from '../errors/turn.ts';
import type { Limits } from '../limits.ts';
import { outcomeOf } from '../messages/outcome.ts';
import type { TurnCost } from '../messages/turn-cost.ts';
import { checkTurn } from '../options/turn.ts';
import type { EventBody } from '../stream/events.ts';
import { onAbort } from '../stream/on-abort.ts';
import { Timers } from '../stream/timers.ts';
import { type UserFrame, userFrame } from '../wire/encode.ts';
import type { Message, UserContent } from '../wire/messages.ts';
import type { CostLedger } from './cost-ledger.ts';
import { Interruption } from './interruption.ts';
import { LeftoverClock } from './leftover-clock.ts';
import type { Observers } from './observers.ts';
import { PromptGate } from './prompt-gate.ts';
import { SilenceClock } from './silence-clock.ts';
import type { SessionTurn } from './turn.ts';
import { TurnEvents } from './turn-events.ts';
import type { SettingsKeeper } from './turn-settings.ts';
import {
  around,
  type Destination,
  decidesNothing,
  idleTracker,
  isFree,
  isQuiet,
  isStarting,
  isThrough,
  leftovers,
  openAdditions,
  promptAdded,
  promptPushed,
  promptSent,
  promptWithdrawn,
  type TurnTracker,
  takenForOther,
  track,
  turnDropped,
  worksByItself,
} from './turn-tracker.ts';
import { UndecidedFrames } from './undecided-frames.ts';

type AnyTurn = SessionTurn<unknown>;

/** What the turns need of their session. */
export interface TurnsHost {
  readonly limits: Limits;
  /** The session is ready and not stopping. */
  canSend(): boolean;
  send(frame: UserFrame): Promise<void>;
  /** Of the CLI, which a turn may have its own of. */
  readonly settings: Pick<SettingsKeeper, 'apply' | 'lent' | 'giveBack' | 'promptWritten'>;
  /** The pipe stood still for a slow reader: the CLI's silence is not its own. */
  heldUpWithin(ms: number): boolean;
  /** Asks the CLI to end what it does. */
  interrupt(): Promise<unknown>;
  /** A turn that was given up did not end. */
  stuck(cause: Error): void;
  /** They are told when it is known whose a message is: a turn's, or nobody's. */
  readonly observers: Pick<Observers, 'message'>;
  readonly costs: CostLedger;
  event(event: EventBody): void;
}

/** The turns of a session: one runs, the others wait in order. */
export class Turns {
  readonly #host: TurnsHost;
  readonly #waiting: AnyTurn[] = [];
  readonly #timers = new Timers<'whole' | 'stuck'>();
  readonly #silence: SilenceClock;
  readonly #leftovers: LeftoverClock;
  readonly gate: PromptGate;
  readonly #events: TurnEvents;
  readonly #undecided: UndecidedFrames;
  #tracker: TurnTracker = idleTracker;
  #current: AnyTurn | undefined;
  /** The current turn's prompt is being prepared and written. */
  #preparing = false;
  #prepared: Promise<void> = Promise.resolve();
  readonly #interruption = new Interruption();
  #idleWaiters: (() => void)[] = [];

  constructor(host: TurnsHost) {
    this.#host = host;
    this.#events = new TurnEvents((event) => host.event(event), host.costs);
    this.#leftovers = new LeftoverClock(host.limits.interruptTimeoutMs, () => {
      for (const id of leftovers(this.#tracker)) this.withdrawn(id);
    });
    this.#silence = new SilenceClock((ms) => host.heldUpWithin(ms));
    this.gate = new PromptGate(() => this.advance(), host.limits.backgroundWaitMs);
    this.#undecided = new UndecidedFrames(host.limits.bufferBytes);
  }

  get current(): AnyTurn | undefined {
    return this.#current;
  }

  /** True when the prompt of the current turn has been sent. */
  get running(): boolean {
    return this.#current !== undefined && this.#isSent(this.#current);
  }

  /** True when the CLI is in a run of the current turn. */
  get inTurn(): boolean {
    return this.#tracker.phase === 'ours';
  }

  /** True when the CLI has yet to take up a prompt of the current turn. */
  get starting(): boolean {
    return this.running && isStarting(this.#tracker);
  }

  /** True when a hook is asked about a prompt of the current turn, and that was interrupted. */
  refusesPrompt(): boolean {
    return this.starting && this.#interruption.refusesPrompt();
  }

  /** True when no turn runs or waits, neither of ours nor of the CLI's own, and no background task is open. */
  get quiet(): boolean {
    return !this.#current && this.#waiting.length === 0 && !this.#preparing && isQuiet(this.#tracker);
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

  /** Takes a turn back whose prompt has not been written; false when it has. */
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

  /** Adds something to the turn that runs. @throws OptionsError; TurnEndedError when it waits, or is over */
  async addTo(turn: AnyTurn, prompt: UserContent): Promise<void> {
    const { problem, content } = checkTurn(prompt, {});
    if (problem) throw problem;
    // Otherwise it is written at once: what the caller does next, such as an interrupt, comes after it.
    if (this.#preparing && this.#current === turn && !this.running) await this.#prepared;
    if (this.#current !== turn || turn.feed.over) throw new TurnEndedError();
    const id = crypto.randomUUID();
    this.#tracker = promptAdded(this.#tracker, id);
    this.#interruption.forget();
    // Without a priority: `now` would cut the running turn short and begin another.
    await this.#write(userFrame(content, id), id);
  }

  /** Writes a raw frame. The next prompt waits until the CLI is done with it. */
  async push(frame: UserFrame): Promise<void> {
    if (this.#preparing) await this.#prepared;
    const id = frame.uuid ?? crypto.randomUUID();
    this.#tracker = promptPushed(this.#tracker, id);
    await this.#write({ ...frame, uuid: id }, id);
  }

  /** What was added to the current turn and not taken up, by uuid. */
  get additions(): readonly string[] {
    return openAdditions(this.#tracker);
  }

  /** The CLI has answered an interrupt; if it tells, with the prompts that still wait. */
  interrupted(stillQueued: readonly string[] | undefined): void {
    const missed = stillQueued?.some((id) => this.#tracker.prompts.has(id)) ?? true;
    this.#interruption.asked(this.running && missed);
  }

  /** The CLI gave a prompt back unread. */
  withdrawn(prompt: string): void {
    this.#tracker = promptWithdrawn(this.#tracker, prompt);
    if (!isThrough(this.#tracker)) return this.advance();
    const { turn } = this.#tracker;
    this.#tracker = turnDropped(this.#tracker);
    this.#end(turn);
  }

  /** Sends the next prompt if nothing stands against it. */
  advance(): void {
    if (this.#waiting.length === 0) this.gate.forgetRun();
    const busy = this.#current || this.#preparing || this.gate.held || !this.#host.canSend();
    const blocked = busy || this.#waiting.length === 0 || this.gate.waitsForRun(isFree(this.#tracker));
    const turn = blocked ? undefined : this.#waiting.shift();
    if (turn) this.#prepared = this.#begin(turn);
    else this.#checkIdle();
  }

  /** Hands a message to the turn it belongs to. */
  route(message: Message, rawJson: string, at: number): void {
    const before = this.#tracker;
    // Asking the tracker about each, and looking for what it might have changed, takes 3 % of the turns of 200 sessions.
    if (decidesNothing(message)) return this.#pass(around(before), before.turn, message, rawJson, at);
    const step = track(before, message);
    this.#tracker = step.tracker;
    this.#events.tasks(before.tasks, step.tracker.tasks, message);
    if (step.undecidedTo) this.#settleUndecided(step.undecidedTo === 'turn' ? before.turn : undefined);
    if (step.began && this.#current) this.#events.began(this.#current.id);
    if (message.type === 'result') this.#host.costs.told(message, step.to === 'turn' ? before.turn : undefined);
    this.#pass(step.to, before.turn, message, rawJson, at);
    if (step.ended) this.#end(before.turn);
    else this.#afterStep(before);
    this.#leftovers.heard(leftovers(this.#tracker).length > 0);
  }

  /** The turn has not ended with this frame. */
  #afterStep(before: TurnTracker): void {
    const started = isStarting(before) && !isStarting(this.#tracker);
    // The caller's own interrupt tells what became of it.
    if (started && this.#interruption.runStarted()) this.#host.interrupt().catch(() => {});
    this.advance();
  }

  /** Fails the turn that runs and those that wait. The CLI may still be at it. */
  failAll(why: () => Error, whyWaiting: () => Error = why): void {
    const running = this.#current;
    const waiting = this.#waiting.splice(0);
    this.#release();
    if (running) running.feed.end(why());
    this.#events.ended();
    for (const turn of waiting) turn.feed.end(whyWaiting());
  }

  /** The same, and nothing more will come. */
  close(why: () => Error, whyWaiting?: () => Error): void {
    this.failAll(why, whyWaiting);
    this.#settleUndecided(undefined);
    this.#events.tasks(this.#tracker.tasks, idleTracker.tasks);
    this.#host.costs.close(worksByItself(this.#tracker));
    this.#tracker = idleTracker;
    this.#leftovers.heard(false);
    this.gate.forgetRun();
    this.#checkIdle();
  }

  /** The result of the running turn came, but could not be read. */
  loseResult(failure: Error): void {
    const turn = this.#current;
    if (!turn || !this.#isSent(turn)) return;
    const cost = this.#drop();
    turn.feed.end(failure);
    this.#events.ended('no-result', cost);
    this.advance();
  }

  /** Resolves when no turn runs or waits and no task is open. */
  idle(): Promise<void> {
    if (this.quiet) return Promise.resolve();
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  /** While a callback of ours runs, the CLI's silence is not its own. */
  callbackRuns(runs: boolean): void {
    this.#leftovers.pause(runs);
    this.#silence.pause(runs);
    if (!runs) this.#armIdle();
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
      this.#events.ended('no-result', cost);
    } finally {
      this.#preparing = false;
      this.#giveBack();
      this.advance();
    }
  }

  async #send(turn: AnyTurn): Promise<void> {
    this.#tracker = promptSent(this.#tracker, turn.id);
    this.#host.costs.sent(turn.id, turn.feed.charge(), turn.content === '/clear', worksByItself(this.#tracker));
    this.#host.settings.promptWritten(turn.content);
    this.#armIdle();
    await this.#host.send(userFrame(turn.content, turn.id));
    turn.sent = true;
  }

  async #write(frame: UserFrame, id: string): Promise<void> {
    try {
      await this.#host.send(frame);
    } catch (error) {
      this.withdrawn(id);
      throw error;
    }
  }

  #isSent(turn: AnyTurn): boolean {
    return this.#tracker.turn === turn.id;
  }

  #pass(to: Destination, sent: string | undefined, message: Message, rawJson: string, at: number): void {
    if (to === 'undecided') {
      if (this.#undecided.keep({ message, rawJson, at })) return this.#armIdle(message);
      this.#tracker = takenForOther(this.#tracker);
      this.#settleUndecided(undefined);
    } else {
      this.#host.observers.message(message, rawJson, to === 'background' ? undefined : sent, at);
      // Whoever was just told may have ended the turn.
      const current = this.#current;
      if (to === 'turn' && sent !== undefined && sent === current?.id) current.feed.message(message, rawJson, at);
    }
    if (to !== 'background') this.#armIdle(message);
  }

  #settleUndecided(turn: string | undefined): void {
    const to = turn === undefined ? 'background' : 'turn';
    for (const { message, rawJson, at } of this.#undecided.take()) this.#pass(to, turn, message, rawJson, at);
  }

  #armIdle(message?: Message): void {
    const turn = this.#current;
    const ms = turn?.options.idleTimeoutMs;
    if (!turn || ms === undefined || turn.feed.over || !this.running) return;
    this.#silence.start(ms, message, () => this.#abandon(turn, new TimeoutError('idleTimeoutMs', ms)));
  }

  /** The caller does not want the turn any more: it is told at once, and the CLI has a moment to come back. */
  #abandon(turn: AnyTurn, error: Error): void {
    turn.feed.end(error, true);
    if (this.takeBack(turn)) return;
    if (this.#current !== turn) return;
    this.#silence.stop();
    this.#timers.clear();
    this.#timers.set('stuck', this.#host.limits.interruptTimeoutMs, () => this.#host.stuck(error));
    // The clock above decides; a CLI that refuses an interrupt may still end its turn.
    this.#host.interrupt().catch(() => {});
  }

  /** Nothing more will come of a turn, which may have failed before. It has no result when its prompt came back unread. */
  #end(sent: string | undefined): void {
    const turn = this.#current;
    const result = turn?.feed.results.at(-1);
    const cost = sent === undefined ? undefined : this.#host.costs.over(sent);
    this.#release();
    if (result) turn?.feed.end();
    else turn?.cancel();
    this.#events.ended(result && outcomeOf(result).kind, cost);
    this.advance();
  }

  /** The current turn is over without a result. */
  #drop(): TurnCost | undefined {
    const cost = this.#current && this.#host.costs.over(this.#current.id, false);
    this.#tracker = turnDropped(this.#tracker);
    this.#release();
    return cost;
  }

  #release(): void {
    if (this.#current) this.#host.costs.cut(this.#current.id);
    this.#current = undefined;
    this.#interruption.forget();
    this.#silence.stop();
    this.#timers.clear();
    this.#giveBack();
  }

  /** A turn's own settings end with it. */
  #giveBack(): void {
    const { settings } = this.#host;
    if (!settings.lent || this.#current || this.#preparing || !this.#host.canSend()) return;
    const release = this.gate.hold();
    // It is tried again before the next prompt, whose turn fails if that fails.
    settings
      .giveBack()
      .catch(() => {})
      .finally(release);
  }

  #checkIdle(): void {
    if (this.#idleWaiters.length === 0 || !this.quiet) return;
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
