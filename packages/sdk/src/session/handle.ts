import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import { steadyNow } from '../clock.ts';
import type { Loaded } from '../control/loaded.ts';
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
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from '../conversation/capabilities.ts';
import { askLoaded } from '../conversation/loaded.ts';
import { type QueuedTurn, type SendOptions, type Turn, turnRequest } from '../conversation/turn.ts';
import { REQUESTS, type TurnSettings } from '../conversation/turn-settings.ts';
import { CheckpointingNotEnabledError, ControlRequestError, SessionNotForkableError } from '../errors/session.ts';
import { workingDirectory } from '../launch/working-directory.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import { checkLateSettings, withServers } from '../options/late-changes.ts';
import type { McpServerConfig } from '../options/mcp-server-config.ts';
import { checkOperation } from '../options/operation.ts';
import { type OptionLayer, ownLayer, readLayer, withoutConversation } from '../options/option-layer.ts';
import type { AgentOptions } from '../options/option-types.ts';
import { modeInSettings } from '../options/permission-mode.ts';
import type { ExitReport } from '../process/transport.ts';
import type { RunEvent } from '../report/events.ts';
import type { ObservedMessage, ObservedPrompt, RunObserver, RunWatcher } from '../report/run-observer.ts';
import { handled, handledCall } from '../stream/message-stream.ts';
import { keepingProcessAlive } from '../timing/timers.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import { endWhenDropped } from './abandoned.ts';
import { type Health, healthOf, PROBE_MS, probeHealth } from './health.ts';
import { type LateChange, LateChanges, requirementsOf } from './late-changes.ts';
import type { Gap } from './observer.ts';
import type { Observers } from './observers.ts';
import {
  type HealthProbe,
  noteSession,
  type Pause,
  type RewindOptions,
  type Session,
  type SessionState,
} from './session.ts';
import type { Operation, Repetition, SessionCore } from './session-core.ts';

/** How a handle opens a fork. */
export interface ForkParts<T> {
  /** The options of the session in layers, the strongest first. */
  readonly layers: readonly OptionLayer[];
  readonly open: (layers: readonly OptionLayer[]) => SessionHandle<T>;
}

/** How long `rewindFiles` may take. */
const REWIND_MS = 30_000;

const SET_SERVERS = 'setMcpServers';

/** The session as its caller holds it. The core does not reference it, so that a dropped session can be detected. */
export class SessionHandle<T> implements Session<T> {
  readonly #core: SessionCore;
  readonly #observers: Observers;
  readonly #fork: ForkParts<T>;
  readonly #late = new LateChanges();
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
    return this.state === 'restarting' ? undefined : this.#core.process.pid;
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
    return this.#core.process.cli.capabilities.current;
  }

  get commands(): readonly CommandInfo[] {
    return this.#core.process.cli.capabilities.commands;
  }

  get models(): readonly ModelInfo[] {
    return this.#core.process.cli.capabilities.models;
  }

  get agents(): readonly AgentInfo[] {
    return this.#core.process.cli.capabilities.agents;
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
    this.#observers.turn(turn, of);
    return turn;
  }

  waitingTurns(): readonly Turn[] {
    return [...this.#core.waitingTurns];
  }

  steer(content: UserContent): Promise<void> {
    const { turns } = this.#core.process;
    return handled(turns.steer(turns.current, content));
  }

  push(frame: UserFrame): Promise<void> {
    return handledCall(async () => {
      const { frame: copy } = checkOperation({ frame });
      return this.#core.ask({ kind: 'push', run: (process) => process.push(copy) });
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

  /** Watches the session for the SDK itself. */
  follow(watcher: RunWatcher): void {
    this.#observers.follow(watcher);
  }

  interrupt(options: RequestOptions = {}): Promise<InterruptReceipt> {
    return handledCall(async () => {
      return this.#core.interrupt(checkOperation({ options }).options);
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
      if (!this.#core.process.plan.given.fileCheckpointing) throw new CheckpointingNotEnabledError();
      const { dryRun = false, timeoutMs = REWIND_MS, signal } = options;
      const payload = { user_message_id: turnId, dry_run: dryRun };
      return rewindReport(
        await this.request('rewind_files', payload, { timeoutMs, signal }),
        this.#core.process.redact,
      );
    });
  }

  mcpStatus(options?: RequestOptions): Promise<readonly McpServerStatus[]> {
    return handledCall(async () =>
      mcpServerStatuses(await this.request('mcp_status', {}, options), this.#core.process.redact),
    );
  }

  setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
    options?: RequestOptions,
  ): Promise<McpServersChange> {
    return handledCall(async () => {
      const { given, servers: copy } = withServers(this.#core.process.plan.given, servers);
      // Servers must be set before one of them is switched off, also when they are set again.
      const repeat = { name: SET_SERVERS, keepsPlace: true, check: requirementsOf(copy, given) };
      const payload = { servers: wholeServers(given.mcpServers ?? {}) };
      const answer = await this.#request('mcp_set_servers', payload, options, repeat);
      await repeat.check?.(this.#core.process);
      return mcpServersChange(answer, this.#core.process.redact);
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
      const { settings: copy } = checkOperation({ settings });
      const repeat = { name: `applySettings ${Object.keys(copy).sort().join(', ')}` };
      await this.#request('apply_flag_settings', { settings: copy }, options, repeat);
    });
  }

  loaded(options: RequestOptions = {}): Promise<Loaded> {
    return handledCall(async () => {
      checkOperation({ options });
      return this.#core.ask(
        {
          kind: 'get_settings',
          run: (process, terms) => askLoaded({ requests: process.operations, cli: process.cli }, true, terms),
        },
        options,
      );
    });
  }

  stopTask(taskId: string, options?: RequestOptions): Promise<void> {
    return handledCall(async () => void (await this.request('stop_task', { task_id: taskId }, options)));
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return this.#request(subtype, payload, options);
  }

  pendingPermissions(): readonly PendingPermission[] {
    return this.#core.process.inbound.permissions.requests();
  }

  answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    return handledCall(async () => this.#core.process.inbound.permissions.answer(id, answer));
  }

  clear(): Promise<void> {
    return handledCall(async () => {
      const { cli } = this.#core.process;
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
      // The CLI finds the conversation by the directory it was held in.
      const cwd = workingDirectory(this.#core.process.plan.run);
      const permissionMode = modeInSettings(given.values) ? undefined : this.#core.process.settings.own.permissionMode;
      const fork = ownLayer({ resume: id, forkSession: true, cwd, permissionMode });
      const own = this.#fork.layers.map(withoutConversation);
      const session = this.#fork.open([given, fork, ...own, ownLayer({ model: modelToKeep })]);
      await session.ready;
      try {
        // Its own servers take the place of those that were set.
        await session.#repeat(this.#late.except(given.values.mcpServers && SET_SERVERS));
      } catch (error) {
        await session.close();
        throw error;
      }
      return session;
    });
  }

  ping(options?: RequestOptions): Promise<number> {
    return handledCall(async () => {
      const since = steadyNow();
      await this.request(PING, {}, options).catch((error: unknown) => {
        // A CLI that refuses the request has answered it.
        if (!(error instanceof ControlRequestError)) throw error;
      });
      return Math.round(steadyNow() - since);
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
    return this.#core.process.costs.account.sum;
  }

  close(): Promise<ExitReport> {
    return this.#core.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #request(subtype: string, payload: object = {}, options: RequestOptions = {}, repeat?: Repetition): Promise<unknown> {
    return handledCall(async () => {
      const checked = checkOperation({ payload, options });
      if (subtype === 'apply_flag_settings')
        checkLateSettings(this.#core.process.plan.given, fieldsOf(payload).settings);
      const operation: Operation<unknown> = {
        kind: subtype,
        run: (process, terms) => process.operations.request(subtype, checked.payload, terms),
      };
      const answer = await this.#core.ask(operation, checked.options, repeat);
      if (repeat && 'name' in repeat) this.#late.note(operation, repeat);
      return answer;
    });
  }

  /** Makes the changes that were made in the session it was forked from. @throws the CLI's refusal */
  async #repeat(changes: readonly LateChange[]): Promise<void> {
    for (const { operation, repeat } of changes) {
      await this.#core.ask(operation, {}, repeat);
      await repeat.check?.(this.#core.process);
      this.#late.note(operation, repeat);
    }
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
        run: (process, terms) => process.settings.choose(name, value, terms),
      };
      return this.#core.ask(operation, options, { settings: { [name]: value } });
    });
  }
}

/** A request that every release answers in milliseconds, also while it works. */
const PING = 'mcp_status';
