import { steadyNow } from '../clock.ts';
import type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from '../control/operations.ts';
import { CheckpointingNotEnabledError } from '../errors/control.ts';
import { SessionNotForkableError } from '../errors/turn.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/copied.ts';
import type { AgentOptions, McpServerConfig, OutputSchema, PermissionMode } from '../options/groups.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import type { ExitReport } from '../process/transport.ts';
import type { RunEvent } from '../stream/events.ts';
import { holdingTheHost } from '../stream/hold-host.ts';
import { warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './capabilities.ts';
import { type Health, judgeHealth } from './health.ts';
import { interruptSession } from './interrupt.ts';
import { isFinal, type LifecycleState } from './lifecycle.ts';
import type { LiveSession } from './live.ts';
import type { Gap } from './observer.ts';
import type { ObservedMessage } from './observers.ts';
import { sendTurn } from './send.ts';
import type { RequestOptions, Session } from './session.ts';
import type { Turn, TurnOptions } from './turn.ts';

/** How long bringing files back may take. */
const REWIND_MS = 30_000;

/** What a caller holds of a session. The live session does not know it, so that one nobody holds can be noticed. */
export class SessionHandle<T> implements Session<T> {
  readonly #live: LiveSession;
  readonly #layers: readonly AgentOptions<T>[];
  readonly #open: (layers: readonly AgentOptions<T>[]) => Session<T>;
  #closed: Promise<ExitReport> | undefined;

  /** `open` makes another session from layers of options: what `fork` needs. */
  constructor(
    live: LiveSession,
    layers: readonly AgentOptions<T>[],
    open: (layers: readonly AgentOptions<T>[]) => Session<T>,
  ) {
    this.#open = open;
    this.#live = live;
    this.#layers = layers;
    endWhenDropped(this, live);
  }

  get id(): string | undefined {
    return this.#live.id;
  }

  get state(): LifecycleState {
    return this.#live.state;
  }

  readonly restarts = 0;
  readonly paused = undefined;

  get pid(): number | undefined {
    return this.#live.link?.transport.pid;
  }

  get ready(): Promise<void> {
    return this.#live.ready;
  }

  get closed(): Promise<ExitReport> {
    this.#closed ??= holdingTheHost(this.#live.closed);
    return this.#closed;
  }

  /** Takes the secrets out of what the CLI printed. */
  redact(text: string): string {
    return this.#live.redact(text);
  }

  /** The model that another process needs to be given, because a turn of this one had its own. */
  get modelToKeep(): string | undefined {
    return this.#live.settings.modelToKeep;
  }

  get capabilities(): Capabilities {
    return this.#live.capabilities.current;
  }

  get commands(): readonly CommandInfo[] {
    return this.#live.capabilities.commands;
  }

  get models(): readonly ModelInfo[] {
    return this.#live.capabilities.models;
  }

  get agents(): readonly AgentInfo[] {
    return this.#live.capabilities.agents;
  }

  send<O = T>(prompt: UserContent, options: TurnOptions = {}, id?: string): Turn<O> {
    // The session's schema is what `T`, the default of `O`, stands for.
    const schema = this.#live.plan.given.outputSchema as OutputSchema<O> | undefined;
    return sendTurn(this.#live, prompt, options, schema, this, id);
  }

  async push(frame: UserFrame): Promise<void> {
    const asGiven = snapshot(frame);
    if (this.state === 'running') return this.#live.turns.push(asGiven);
    // A prompt that is sent after this call is written after the frame.
    const release = this.#live.turns.gate.hold();
    try {
      await this.#live.ready;
      if (this.#live.state !== 'running') throw this.#live.stoppedError('The frame was not sent');
      await this.#live.turns.push(asGiven);
    } finally {
      release();
    }
  }

  async idle(): Promise<void> {
    // Not returned: whoever waits holds the session.
    await this.#live.turns.idle();
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.#live.observers.messages(this);
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.#live.observers.events(this);
  }

  interrupt(): Promise<InterruptReceipt> {
    return interruptSession(this.#live);
  }

  setModel(model: string): Promise<void> {
    return this.#live.settings.choose('model', model);
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return this.#live.settings.choose('permissionMode', mode);
  }

  setMaxThinkingTokens(tokens: number | null): Promise<void> {
    return this.#live.settings.choose('maxThinkingTokens', tokens);
  }

  async rewindFiles(turnId: string, options: { dryRun?: boolean | undefined } = {}): Promise<RewindReport> {
    if (!this.#live.plan.given.fileCheckpointing) throw new CheckpointingNotEnabledError();
    return this.#live.operations.rewindFiles(turnId, options.dryRun ?? false, REWIND_MS);
  }

  mcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.#live.operations.mcpStatus();
  }

  async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpServersChange> {
    // 2.1.325 takes a stdio server without `args` on its command line, but not here.
    const whole = Object.entries(servers).map(([name, server]) => [
      name,
      'command' in server ? { args: [], ...server } : server,
    ]);
    return this.#live.operations.setMcpServers(Object.fromEntries(whole));
  }

  reconnectMcpServer(name: string): Promise<void> {
    return this.#live.operations.reconnectMcpServer(name);
  }

  toggleMcpServer(name: string, enabled: boolean): Promise<void> {
    return this.#live.operations.toggleMcpServer(name, enabled);
  }

  contextUsage(): Promise<ContextUsage> {
    return this.#live.operations.contextUsage();
  }

  getSettings(): Promise<SettingsReport> {
    return this.#live.operations.getSettings();
  }

  applySettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    return this.#live.operations.applySettings(settings);
  }

  stopTask(taskId: string): Promise<void> {
    return this.#live.operations.stopTask(taskId);
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return this.#live.request(subtype, payload, options);
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return this.#live.answering.permissions.pendingPermissions();
  }

  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    this.#live.answering.permissions.answer(id, answer);
  }

  async clear(): Promise<void> {
    if (this.#live.versionDecides('session:clear')) await this.#live.versionKnown();
    this.#live.refuseIfTooOld('clear', 'session:clear');
    await this.send('/clear').result();
  }

  async fork(options: AgentOptions<T> = {}): Promise<Session<T>> {
    const { id, finishedTurn, plan } = this.#live;
    if (id === undefined || !finishedTurn || plan.given.persistSession === false) throw new SessionNotForkableError();
    const fork: AgentOptions<T> = { resume: id, forkSession: true, ...options };
    const own = this.#layers.map(({ sessionId, resume, resumeAt, continue: _, forkSession, ...kept }) => kept);
    const session = this.#open([fork, ...(own as AgentOptions<T>[]), { model: this.modelToKeep }]);
    await session.ready;
    return session;
  }

  health(): Health {
    const live = this.#live;
    return judgeHealth({
      state: live.state,
      now: steadyNow(),
      lastFrameAt: live.link?.lastFrameAt ?? steadyNow(),
      turnRuns: live.turns.current !== undefined,
      requests: live.pending.list(),
      callbacks: live.answering.callbacks.pending,
    });
  }

  cost(): SessionCost {
    return this.#live.costs.account.sum;
  }

  close(): Promise<ExitReport> {
    return this.#live.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}

/** A session nobody holds can be neither used nor stopped. */
function endWhenDropped(handle: object, live: LiveSession): void {
  const dropped = new FinalizationRegistry(() => {
    if (isFinal(live.state) || live.state === 'stopping') return;
    live.warn(
      warning('session-abandoned', 'A session was dropped without being stopped; its process was ended.', {
        pid: live.link?.transport.pid ?? null,
      }),
    );
    void live.stop();
  });
  dropped.register(handle, undefined);
  // The registry must live as long as what it watches for can happen.
  void live.closed.then(() => dropped);
}
