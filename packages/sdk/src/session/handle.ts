import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PermissionRequest } from '../callbacks/permission-request.ts';
import { steadyNow } from '../clock.ts';
import {
  type ContextUsage,
  fieldsOf,
  type InterruptReceipt,
  type McpServerStatus,
  type McpServersChange,
  mcpServerStatuses,
  mcpServersChange,
  type RewindReport,
  rewindReport,
  type SettingsReport,
  wholeServers,
} from '../control/operations.ts';
import type { RequestOptions } from '../control/pending.ts';
import { CheckpointingNotEnabledError, SessionNotForkableError } from '../errors/session.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/checks.ts';
import { checkOperation } from '../options/operation.ts';
import type { AgentOptions, McpServerConfig, PermissionMode } from '../options/option-types.ts';
import type { ExitReport } from '../process/transport.ts';
import type { RunEvent } from '../report/events.ts';
import type { ObservedMessage, ObservedPrompt, RunObserver } from '../report/run-observer.ts';
import { handled, handledCall } from '../stream/message-stream.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import { type Warning, warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './capabilities.ts';
import { type Health, judgeHealth } from './health.ts';
import type { LiveSession } from './live.ts';
import type { Gap } from './observer.ts';
import type { Observers } from './observers.ts';
import { noteSession, type Pause, type RewindOptions, type Session, type SessionState } from './session.ts';
import { type TurnOptions, type TurnRequest, type TurnStream, turnRequest } from './turn.ts';
import { REQUESTS, type TurnSettings } from './turn-settings.ts';

/** An operation on one CLI process. */
export interface Operation<R> {
  /** The control request that it sends. */
  readonly kind: string;
  run(live: LiveSession, options: RequestOptions): Promise<R>;
}

/** How a restarting session repeats an operation on the next CLI. */
export type Repetition =
  /** As options of its start. */
  | { readonly settings: TurnSettings }
  /** By asking again, under a name: in the order of the last calls, or of the first ones when `keepsPlace` is set. */
  | { readonly name: string; readonly keepsPlace?: boolean };

/** What a handle controls: one CLI process, or a supervisor that restarts it. */
export interface SessionCore {
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly id: string | undefined;
  readonly state: SessionState;
  /** True from the call of `stop()` or the end of the session on. */
  readonly stopping: boolean;
  readonly restarts: number;
  readonly paused: Pause | undefined;
  /** The current CLI process, or the last one. */
  readonly live: LiveSession;
  /** True when the conversation can be resumed by another process. */
  readonly forkable: boolean;
  /** The model that another process must be given because a turn, or the caller, has changed it. */
  readonly modelToKeep: string | undefined;
  /** Runs an operation on the CLI as soon as it is ready. */
  ask<R>(operation: Operation<R>, options?: RequestOptions, repeat?: Repetition): Promise<R>;
  sendTurn<T>(request: TurnRequest<T>): TurnStream<T>;
  interrupt(options?: RequestOptions): Promise<InterruptReceipt>;
  idle(): Promise<void>;
  warn(warning: Warning): void;
  stop(): Promise<ExitReport>;
}

/** How a handle opens a fork. */
export interface ForkParts<T> {
  /** The options of the session in layers, the strongest first. */
  readonly layers: readonly AgentOptions<T>[];
  readonly open: (layers: readonly AgentOptions<T>[]) => Session<T>;
}

/** How long `rewindFiles` may take. */
const REWIND_MS = 30_000;

/** The session as its caller holds it. The core does not reference it, so that a dropped session can be detected. */
export class SessionHandle<T> implements Session<T> {
  readonly #core: SessionCore;
  readonly #observers: Observers;
  readonly #fork: ForkParts<T>;
  #closed: Promise<ExitReport> | undefined;

  constructor(core: SessionCore, observers: Observers, fork: ForkParts<T>) {
    this.#core = core;
    this.#observers = observers;
    this.#fork = fork;
    void core.closed.then(() => observers.end());
    endWhenDropped(this, core);
    noteSession(observers.run, this);
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
    return this.state === 'restarting' ? undefined : this.#core.live.pid;
  }

  get ready(): Promise<void> {
    return this.#core.ready;
  }

  get closed(): Promise<ExitReport> {
    this.#closed ??= keepingProcessAlive(this.#core.closed);
    return this.#closed;
  }

  /** The model that another process must be given to continue the conversation. */
  get modelToKeep(): string | undefined {
    return this.#core.modelToKeep;
  }

  get capabilities(): Capabilities {
    return this.#core.live.cli.capabilities.current;
  }

  get commands(): readonly CommandInfo[] {
    return this.#core.live.cli.capabilities.commands;
  }

  get models(): readonly ModelInfo[] {
    return this.#core.live.cli.capabilities.models;
  }

  get agents(): readonly AgentInfo[] {
    return this.#core.live.cli.capabilities.agents;
  }

  /** `of` is the job whose prompt it is. */
  send<O = T>(
    prompt: UserContent,
    options: TurnOptions = {},
    of: Partial<Pick<ObservedPrompt, 'job' | 'at'>> = {},
  ): TurnStream<O> {
    // `T`, the default of `O`, is the type of the session's schema.
    const given = this.#core.live.plan.given as AgentOptions<O>;
    const turn = this.#core.sendTurn(turnRequest(prompt, options, given, this));
    this.#observers.turn(turn, of);
    return turn;
  }

  steer(content: UserContent): Promise<void> {
    return handled(this.#core.live.turns.steerCurrent(content));
  }

  push(frame: UserFrame): Promise<void> {
    return handledCall(async () => {
      checkOperation({ frame });
      const copy = snapshot(frame);
      return this.#core.ask({ kind: 'push', run: (live) => live.push(copy) });
    });
  }

  async idle(): Promise<void> {
    // Awaited, not returned: a caller that waits holds the session.
    await this.#core.idle();
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.#observers.messages(this);
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.#observers.events(this);
  }

  observe(observer: RunObserver): () => void {
    return this.#observers.add(observer);
  }

  interrupt(options: RequestOptions = {}): Promise<InterruptReceipt> {
    return handledCall(async () => {
      checkOperation({ options });
      return this.#core.interrupt(options);
    });
  }

  setModel(model: string, options?: RequestOptions): Promise<void> {
    return this.#set('model', model, options);
  }

  setPermissionMode(mode: PermissionMode, options?: RequestOptions): Promise<void> {
    return this.#set('permissionMode', mode, options);
  }

  setMaxThinkingTokens(tokens: number | null, options?: RequestOptions): Promise<void> {
    return this.#set('maxThinkingTokens', tokens, options);
  }

  rewindFiles(turnId: string, options: RewindOptions = {}): Promise<RewindReport> {
    return handledCall(async () => {
      if (!this.#core.live.plan.given.fileCheckpointing) throw new CheckpointingNotEnabledError();
      const { dryRun = false, timeoutMs = REWIND_MS, signal } = options;
      const payload = { user_message_id: turnId, dry_run: dryRun };
      return rewindReport(await this.request('rewind_files', payload, { timeoutMs, signal }), this.#core.live.redact);
    });
  }

  mcpStatus(options?: RequestOptions): Promise<readonly McpServerStatus[]> {
    return handledCall(async () =>
      mcpServerStatuses(await this.request('mcp_status', {}, options), this.#core.live.redact),
    );
  }

  setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
    options?: RequestOptions,
  ): Promise<McpServersChange> {
    return handledCall(async () => {
      checkOperation({ servers });
      // Servers must be set before one of them is switched off, also when they are set again.
      const repeat = { name: 'setMcpServers', keepsPlace: true };
      const payload = { servers: wholeServers(servers) };
      return mcpServersChange(await this.#request('mcp_set_servers', payload, options, repeat), this.#core.live.redact);
    });
  }

  reconnectMcpServer(name: string, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.request('mcp_reconnect', { serverName: name }, options)));
  }

  toggleMcpServer(name: string, enabled: boolean, options?: RequestOptions): Promise<void> {
    const repeat = { name: `toggleMcpServer ${name}` };
    return handledCall(
      async () => void (await this.#request('mcp_toggle', { serverName: name, enabled }, options, repeat)),
    );
  }

  contextUsage(options?: RequestOptions): Promise<ContextUsage> {
    return handledCall(async () => fieldsOf(await this.request('get_context_usage', {}, options)));
  }

  getSettings(options?: RequestOptions): Promise<SettingsReport> {
    return handledCall(async () => fieldsOf(await this.request('get_settings', {}, options)));
  }

  applySettings(settings: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<void> {
    return handledCall(async () => {
      checkOperation({ settings });
      const repeat = { name: `applySettings ${Object.keys(settings).sort().join(', ')}` };
      await this.#request('apply_flag_settings', { settings }, options, repeat);
    });
  }

  stopTask(taskId: string, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.request('stop_task', { task_id: taskId }, options)));
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return this.#request(subtype, payload, options);
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return this.#core.live.inbound.permissions.requests();
  }

  answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    return handledCall(async () => this.#core.live.inbound.permissions.answer(id, answer));
  }

  clear(): Promise<void> {
    return handledCall(async () => {
      const { cli } = this.#core.live;
      if (cli.versionDecides('session:clear')) await cli.versionKnown();
      cli.refuseIfTooOld('clear', 'session:clear');
      await this.send('/clear').result();
    });
  }

  fork(options: AgentOptions<T> = {}): Promise<Session<T>> {
    return handledCall(async () => {
      const { id, forkable, modelToKeep } = this.#core;
      if (id === undefined || !forkable) throw new SessionNotForkableError();
      const fork: AgentOptions<T> = { resume: id, forkSession: true, ...options };
      const own = this.#fork.layers.map(({ sessionId, resume, resumeAt, continue: _, forkSession, ...kept }) => kept);
      // What is left of the layers are still options of the same type.
      const session = this.#fork.open([fork, ...(own as AgentOptions<T>[]), { model: modelToKeep }]);
      await session.ready;
      return session;
    });
  }

  health(): Health {
    const { state, paused, live } = this.#core;
    if (state === 'restarting') return { status: 'degraded', reason: 'the CLI died and is being started again' };
    const health = judgeHealth({
      state: live.state,
      now: steadyNow(),
      lastFrameAt: live.incoming.heardAt,
      turnRuns: live.turns.current !== undefined,
      requests: live.requests.waiting,
      callbacks: live.inbound.pending,
    });
    if (health.status !== 'healthy' || !paused) return health;
    const until = new Date(paused.until).toISOString();
    return { status: 'degraded', reason: `new turns wait until ${until} (${paused.reason})` };
  }

  cost(): SessionCost {
    return this.#core.live.costs.account.sum;
  }

  close(): Promise<ExitReport> {
    return this.#core.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #request(subtype: string, payload: object = {}, options: RequestOptions = {}, repeat?: Repetition): Promise<unknown> {
    return handledCall(async () => {
      checkOperation({ payload, options });
      const operation: Operation<unknown> = {
        kind: subtype,
        run: (live, terms) => live.requests.request(subtype, payload, terms),
      };
      return this.#core.ask(operation, options, repeat);
    });
  }

  #set<N extends keyof TurnSettings>(
    name: N,
    value: NonNullable<TurnSettings[N]> | null,
    options: RequestOptions = {},
  ): Promise<void> {
    return handledCall(async () => {
      checkOperation({ options, ...(value !== null && { [name]: value }) });
      const operation: Operation<void> = {
        kind: REQUESTS[name][0],
        run: (live, terms) => live.settings.choose(name, value, terms),
      };
      return this.#core.ask(operation, options, { settings: { [name]: value } });
    });
  }
}

/** A session without a handle can be neither used nor closed. */
function endWhenDropped(handle: object, core: SessionCore): void {
  const dropped = new FinalizationRegistry(() => {
    if (core.stopping) return;
    const message = 'A session was dropped without being closed; its process was ended.';
    core.warn(warning('session-abandoned', message, { pid: core.live.pid ?? null }));
    void core.stop();
  });
  dropped.register(handle, undefined);
  // Keeps the registry reachable until the session is closed.
  void core.closed.then(() => dropped);
}
