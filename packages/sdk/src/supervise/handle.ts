import type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from '../control/operations.ts';
import { NoSuchPermissionError } from '../errors/control.ts';
import { SessionNotForkableError } from '../errors/turn.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import type { AgentOptions, McpServerConfig, OutputSchema, PermissionMode } from '../options/groups.ts';
import { checkTurn } from '../options/turn.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import type { ExitReport } from '../process/transport.ts';
import {
  type AgentInfo,
  type Capabilities,
  CapabilityRecord,
  type CommandInfo,
  type ModelInfo,
} from '../session/capabilities.ts';
import type { SessionHandle } from '../session/handle.ts';
import type { Health } from '../session/health.ts';
import type { Gap } from '../session/observer.ts';
import type { ObservedMessage, Observers } from '../session/observers.ts';
import type { Pause, RequestOptions, Session, SessionState } from '../session/session.ts';
import type { Turn, TurnOptions } from '../session/turn.ts';
import { currentContext } from '../stream/async-context.ts';
import type { RunEvent } from '../stream/events.ts';
import { warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import { SupervisedTurn } from './supervised-turn.ts';
import type { Supervisor } from './supervisor.ts';

/** What a handle is made from besides its supervisor. */
export interface HandleParts<T> {
  readonly observers: Observers;
  readonly outputSchema: OutputSchema<T> | undefined;
  readonly layers: readonly AgentOptions<T>[];
  /** Makes another session from layers of options: what `fork` needs. */
  readonly open: (layers: readonly AgentOptions<T>[]) => Session<T>;
}

/**
 * What a caller holds of a supervised session. The supervisor does not know it, so that a session nobody holds can be
 * noticed.
 */
export class SupervisedHandle<T> implements Session<T> {
  readonly #supervisor: Supervisor;
  readonly #parts: HandleParts<T>;

  constructor(supervisor: Supervisor, parts: HandleParts<T>) {
    this.#supervisor = supervisor;
    this.#parts = parts;
    endWhenDropped(this, supervisor);
  }

  get ready(): Promise<void> {
    return this.#supervisor.ready;
  }

  get closed(): Promise<ExitReport> {
    return this.#supervisor.closed;
  }

  get id(): string | undefined {
    return this.#supervisor.id;
  }

  get state(): SessionState {
    return this.#supervisor.state;
  }

  get pid(): number | undefined {
    return this.state === 'restarting' ? undefined : this.#session?.pid;
  }

  get paused(): Pause | undefined {
    return this.#supervisor.paused;
  }

  get restarts(): number {
    return this.#supervisor.restarts;
  }

  get capabilities(): Capabilities {
    return this.#session?.capabilities ?? new CapabilityRecord().current;
  }

  get commands(): readonly CommandInfo[] {
    return this.#session?.commands ?? [];
  }

  get models(): readonly ModelInfo[] {
    return this.#session?.models ?? [];
  }

  get agents(): readonly AgentInfo[] {
    return this.#session?.agents ?? [];
  }

  send<O = T>(prompt: UserContent, options: TurnOptions = {}, id?: string): Turn<O> {
    const supervisor = this.#supervisor;
    const { problem, content } = checkTurn(prompt, options);
    const turn = new SupervisedTurn<O>(
      { id, content, options: { ...options }, inContext: currentContext(), holds: this },
      {
        host: {
          steer: (which, added) => supervisor.turns.steer(which, added),
          interruptTurn: (which) => supervisor.turns.interrupt(which),
          warn: (warned) => supervisor.warn(warned),
          redact: supervisor.redact,
        },
        // The session's schema is what `T`, the default of `O`, stands for.
        outputSchema: this.#parts.outputSchema as OutputSchema<O> | undefined,
      },
    );
    if (problem) turn.feed.end(problem);
    else if (supervisor.stopping) turn.feed.end(supervisor.stoppedError('The turn was not sent'));
    else supervisor.turns.add(turn);
    return turn;
  }

  push(frame: UserFrame): Promise<void> {
    return this.#ask((session) => session.push(frame));
  }

  async idle(): Promise<void> {
    // Not returned: whoever waits holds the session.
    await this.#supervisor.idle();
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.#parts.observers.messages(this);
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.#parts.observers.events(this);
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.#supervisor.interrupt();
  }

  async setModel(model: string): Promise<void> {
    await this.#ask((session) => session.setModel(model));
    this.#supervisor.kept.note({ model });
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#ask((session) => session.setPermissionMode(mode));
    this.#supervisor.kept.note({ permissionMode: mode });
  }

  async setMaxThinkingTokens(tokens: number | null): Promise<void> {
    await this.#ask((session) => session.setMaxThinkingTokens(tokens));
    this.#supervisor.kept.note({ maxThinkingTokens: tokens });
  }

  rewindFiles(turnId: string, options?: { dryRun?: boolean | undefined }): Promise<RewindReport> {
    return this.#ask((session) => session.rewindFiles(turnId, options));
  }

  mcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.#ask((session) => session.mcpStatus());
  }

  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpServersChange> {
    return this.#askAlways('setMcpServers', (session) => session.setMcpServers(servers), 'same');
  }

  reconnectMcpServer(name: string): Promise<void> {
    return this.#ask((session) => session.reconnectMcpServer(name));
  }

  toggleMcpServer(name: string, enabled: boolean): Promise<void> {
    return this.#askAlways(`toggleMcpServer ${name}`, (session) => session.toggleMcpServer(name, enabled));
  }

  contextUsage(): Promise<ContextUsage> {
    return this.#ask((session) => session.contextUsage());
  }

  getSettings(): Promise<SettingsReport> {
    return this.#ask((session) => session.getSettings());
  }

  applySettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const names = Object.keys(settings).sort().join(', ');
    return this.#askAlways(`applySettings ${names}`, (session) => session.applySettings(settings));
  }

  stopTask(taskId: string): Promise<void> {
    return this.#ask((session) => session.stopTask(taskId));
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return this.#ask((session) => session.request(subtype, payload, options));
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return this.#session?.pendingPermissions() ?? [];
  }

  async answerPermission(id: string, answer: PermissionDecision): Promise<void> {
    if (!this.#session) throw new NoSuchPermissionError(id);
    await this.#session.answerPermission(id, answer);
  }

  async clear(): Promise<void> {
    const live = this.#supervisor.life?.live;
    if (live?.versionDecides('session:clear')) await live.versionKnown();
    live?.refuseIfTooOld('clear', 'session:clear');
    await this.send('/clear').result();
  }

  async fork(options: AgentOptions<T> = {}): Promise<Session<T>> {
    const { id, forkable } = this.#supervisor;
    if (id === undefined || !forkable) throw new SessionNotForkableError();
    const fork: AgentOptions<T> = { resume: id, forkSession: true, ...options };
    const own = this.#parts.layers.map(({ sessionId, resume, resumeAt, continue: _, forkSession, ...kept }) => kept);
    const model = this.#session?.modelToKeep ?? this.#supervisor.kept.settings.model;
    const session = this.#parts.open([fork, ...(own as AgentOptions<T>[]), { model }]);
    await session.ready;
    return session;
  }

  health(): Health {
    const { state, paused } = this;
    if (state === 'restarting') return { status: 'degraded', reason: 'the CLI died and is being started again' };
    const health = this.#session?.health() ?? { status: 'degraded', reason: 'the session is starting' };
    if (health.status !== 'healthy' || !paused) return health;
    const until = new Date(paused.until).toISOString();
    return { status: 'degraded', reason: `new turns wait until ${until} (${paused.reason})` };
  }

  cost(): SessionCost {
    return this.#supervisor.account.sum;
  }

  close(): Promise<ExitReport> {
    return this.#supervisor.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  /** The newest CLI's own session. */
  get #session(): SessionHandle<unknown> | undefined {
    return this.#supervisor.life?.session;
  }

  #ask<R>(run: (session: SessionHandle<unknown>) => Promise<R>): Promise<R> {
    return this.#supervisor.ask(run);
  }

  /** Asks, and asks each CLI that comes after this one as well. */
  async #askAlways<R>(
    what: string,
    run: (session: SessionHandle<unknown>) => Promise<R>,
    place?: 'last' | 'same',
  ): Promise<R> {
    const answer = await this.#ask(run);
    this.#supervisor.kept.repeat(what, run, place);
    return answer;
  }
}

/** A session nobody holds can be neither used nor stopped. */
function endWhenDropped(handle: object, supervisor: Supervisor): void {
  const dropped = new FinalizationRegistry(() => endDropped(supervisor));
  dropped.register(handle, undefined);
  // The registry must live as long as what it watches for can happen.
  void supervisor.closed.then(() => dropped);
}

function endDropped(supervisor: Supervisor): void {
  if (supervisor.stopping) return;
  const message = 'A supervised session was dropped without being stopped; its process was ended.';
  supervisor.warn(warning('session-abandoned', message, { pid: supervisor.life?.session.pid ?? null }));
  void supervisor.stop();
}
