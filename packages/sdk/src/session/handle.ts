import { type AccountInfo, accountIn } from '../control/listings.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from '../conversation/capabilities.ts';
import { type QueuedTurn, type SendOptions, type Turn, turnRequest } from '../conversation/turn.ts';
import { SessionNotForkableError } from '../errors/session.ts';
import { workingDirectory } from '../launch/working-directory.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import { checkOperation } from '../options/operation.ts';
import { type OptionLayer, ownLayer, readLayer, withoutConversation } from '../options/option-layer.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { modeInSettings } from '../options/permission-mode.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Follower } from '../report/audience.ts';
import type { RunEvent } from '../report/events.ts';
import type { Report } from '../report/report.ts';
import type { ObservedMessage, ObservedPrompt, RunObserver } from '../report/run-observer.ts';
import { handled, handledCall } from '../stream/message-stream.ts';
import type { Gap } from '../stream/newest-items.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import { endWhenDropped } from './abandoned.ts';
import { type Health, healthOf, PROBE_MS, probeHealth } from './health.ts';
import { SessionOperations } from './operations.ts';
import { type HealthProbe, noteSession, type Pause, type Session, type SessionState } from './session.ts';
import type { SessionCore } from './session-core.ts';

/** How a handle opens a fork. */
export interface ForkParts<T> {
  /** The options of the session in layers, the strongest first. */
  readonly layers: readonly OptionLayer[];
  readonly open: (layers: readonly OptionLayer[]) => SessionHandle<T>;
}

/** The caller's handle of a session. The core does not reference it, so that a dropped session can be detected. */
export class SessionHandle<T> extends SessionOperations implements Session<T> {
  readonly #core: SessionCore;
  readonly #report: Report;
  readonly #fork: ForkParts<T>;
  #closed: Promise<ExitReport> | undefined;

  constructor(core: SessionCore, report: Report, fork: ForkParts<T>) {
    super(core);
    this.#core = core;
    this.#report = report;
    this.#fork = fork;
    void core.closed.then(() => report.audience.end());
    endWhenDropped(this, core);
    noteSession(report.run, this);
    const { parkedTurn } = core;
    if (!parkedTurn) return;
    parkedTurn.holds = this;
    report.turn(parkedTurn);
  }

  get id(): string | undefined {
    return this.#core.id;
  }

  get state(): SessionState {
    return this.#core.state;
  }

  get restarts(): number {
    return this.#core.restarts;
  }

  get paused(): Pause | undefined {
    return this.#core.paused;
  }

  get pid(): number | undefined {
    return this.state === 'restarting' ? undefined : this.#core.conversation.pid;
  }

  get ready(): Promise<void> {
    return this.#core.ready;
  }

  get closed(): Promise<ExitReport> {
    this.#closed ??= keepingProcessAlive(this.#core.closed);
    return this.#closed;
  }

  /** The model with which another process must continue the conversation. */
  get modelToKeep(): string | undefined {
    return this.#core.modelToKeep;
  }

  get capabilities(): Capabilities {
    return this.#core.conversation.cli.capabilities.current;
  }

  get commands(): readonly CommandInfo[] {
    return this.#core.conversation.cli.capabilities.commands;
  }

  get models(): readonly ModelInfo[] {
    return this.#core.conversation.cli.capabilities.models;
  }

  get account(): AccountInfo | undefined {
    return accountIn(this.#core.conversation.cli.capabilities.current.handshake);
  }

  get agents(): readonly AgentInfo[] {
    return this.#core.conversation.cli.capabilities.agents;
  }

  get parkedTurn(): Turn<T> | undefined {
    // `T` is the type of the session's schema, which the turn was given.
    return this.#core.parkedTurn as QueuedTurn<T> | undefined;
  }

  /** `of` is the job whose prompt it is. */
  send<O = T>(
    prompt: UserContent,
    options: SendOptions<O> = {},
    of: Partial<Pick<ObservedPrompt, 'job' | 'at'>> = {},
  ): QueuedTurn<O> {
    // `T`, the default of `O`, is the type of the session's schema.
    const given = this.#core.given as AgentOptions<O>;
    const turn = this.#core.sendTurn(turnRequest(prompt, options, { given, replaces: this.#core.replaces }, this));
    this.#report.turn(turn, of);
    return turn;
  }

  waitingTurns(): readonly Turn[] {
    return [...this.#core.waitingTurns];
  }

  steer(content: UserContent): Promise<void> {
    const { turns } = this.#core.conversation;
    return handled(turns.steer(turns.current, content));
  }

  push(frame: UserFrame): Promise<void> {
    return handledCall(async () => {
      const { frame: copy } = checkOperation({ frame });
      return this.#core.ask({ kind: 'push', run: (conversation) => conversation.push(copy) });
    });
  }

  async idle(): Promise<void> {
    // Awaited, not returned: a waiting caller keeps the session reachable.
    await this.#core.idle();
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.#report.audience.messages(this);
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.#report.audience.events(this);
  }

  observe(observer: RunObserver): () => void {
    return this.#report.observe(observer);
  }

  /** Follows the session for the SDK itself. */
  follow(follower: Follower): void {
    this.#report.audience.follow(follower);
  }

  clear(): Promise<void> {
    return handledCall(async () => {
      const { cli } = this.#core.conversation;
      if (cli.versionDecides('session:clear')) await cli.versionKnown();
      cli.refuseIfTooOld('clear', 'session:clear');
      await this.send('/clear').result();
    });
  }

  fork(options: AgentOptions<T> = {}): Promise<Session<T>> {
    return handledCall(async () => {
      const { id, forkable, modelToKeep } = this.#core;
      if (id === undefined || !forkable) throw new SessionNotForkableError();
      const given = readLayer(options);
      // The CLI finds the conversation by its working directory.
      const cwd = workingDirectory(this.#core.conversation.plan.run);
      const permissionMode = modeInSettings(given.values)
        ? undefined
        : this.#core.conversation.settings.own.permissionMode;
      const fork = ownLayer({ resume: id, forkSession: true, cwd, permissionMode });
      const own = this.#fork.layers.map(withoutConversation);
      const session = this.#fork.open([given, fork, ...own, ownLayer({ model: modelToKeep })]);
      await session.ready;
      try {
        // Its own servers replace those that were set.
        await session.repeatChanges(this, given.values.mcpServers !== undefined);
      } catch (error) {
        await session.close();
        throw error;
      }
      return session;
    });
  }

  health(): Health;
  health(options: HealthProbe): Promise<Health>;
  health(options?: HealthProbe): Health | Promise<Health> {
    if (options?.probe !== true) return healthOf(this.#core);
    const { timeoutMs = PROBE_MS } = options;
    return probeHealth(
      () => healthOf(this.#core),
      () => this.ping({ timeoutMs }),
    );
  }

  cost(): SessionCost {
    return this.#core.conversation.costs.account.sum;
  }

  close(): Promise<ExitReport> {
    return this.#core.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
