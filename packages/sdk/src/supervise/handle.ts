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
import type { PermissionOutcome } from '../hooks/outcome.ts';
import type { McpServerConfig, OutputSchema, PermissionMode, SessionOptions } from '../options/groups.ts';
import { checkTurn } from '../options/turn.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import {
  type AgentInfo,
  type Capabilities,
  CapabilityRecord,
  type CommandInfo,
  type ModelInfo,
} from '../session/capabilities.ts';
import { currentContext } from '../session/context.ts';
import type { SessionHandle } from '../session/handle.ts';
import type { Health } from '../session/health.ts';
import type { Gap } from '../session/observer.ts';
import type { ObservedMessage, Observers } from '../session/observers.ts';
import type { RequestOptions } from '../session/session.ts';
import type { SessionPlan } from '../session/session-plan.ts';
import type { Turn, TurnOptions } from '../session/turn.ts';
import type { RunEvent } from '../stream/events.ts';
import { warning } from '../warnings/warning.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { Pause } from './rate-limit.ts';
import type { SupervisedSession, SupervisedState } from './supervised-session.ts';
import { SupervisedTurn } from './supervised-turn.ts';
import type { Supervisor } from './supervisor.ts';

/** What a handle is made from. */
export interface HandleParts<T> {
  readonly first: SessionPlan;
  readonly observers: Observers;
  /** The supervisor; it has begun by the time it is there. */
  readonly loaded: Promise<Supervisor>;
  readonly layers: readonly SessionOptions<T>[];
  /** Makes another session from layers of options: what `fork` needs. */
  readonly open: (layers: readonly SessionOptions<T>[]) => SupervisedSession<T>;
}

/**
 * What a caller holds of a supervised session. Until the supervisor is loaded everything that is asked for waits, in order.
 * The supervisor does not know it, so that a session nobody holds can be noticed.
 */
export class SupervisedHandle<T> implements SupervisedSession<T> {
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly #parts: HandleParts<T>;
  readonly #now: { supervisor?: Supervisor };

  constructor(parts: HandleParts<T>) {
    const { loaded } = parts;
    const now: { supervisor?: Supervisor } = {};
    this.#parts = parts;
    this.#now = now;
    this.ready = loaded.then((supervisor) => {
      now.supervisor = supervisor;
      return supervisor.ready;
    });
    this.ready.catch(() => {});
    this.closed = loaded.then(
      (supervisor) => supervisor.closed,
      () => NEVER_STARTED,
    );
    endWhenDropped(this, loaded);
  }

  get id(): string | undefined {
    return this.#now.supervisor ? this.#now.supervisor.id : this.#parts.first.sessionId;
  }

  get state(): SupervisedState {
    return this.#now.supervisor?.state ?? 'starting';
  }

  get pid(): number | undefined {
    return this.state === 'restarting' ? undefined : this.#session?.pid;
  }

  get paused(): Pause | undefined {
    return this.#now.supervisor?.paused;
  }

  get restarts(): number {
    return this.#now.supervisor?.restarts ?? 0;
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
    const { loaded, first } = this.#parts;
    // The session's schema is what `T`, the default of `O`, stands for.
    const outputSchema = first.given.outputSchema as OutputSchema<O> | undefined;
    const host = {
      steer: async (which: SupervisedTurn<unknown>, content: UserContent) => (await loaded).turns.steer(which, content),
      interruptTurn: async (which: SupervisedTurn<unknown>) => (await loaded).turns.interrupt(which),
      warn: (warned: Parameters<Supervisor['warn']>[0]) => this.#now.supervisor?.warn(warned),
    };
    const turn = new SupervisedTurn<O>(
      { id, content: prompt, options, inContext: currentContext(), holds: this },
      { host, outputSchema },
    );
    const { problem } = checkTurn(prompt, options);
    if (problem) turn.feed.end(problem);
    else loaded.then((supervisor) => addTo(supervisor, turn)).catch((error: Error) => turn.feed.end(error));
    return turn;
  }

  push(frame: UserFrame): Promise<void> {
    return this.#ask((session) => session.push(frame));
  }

  async idle(): Promise<void> {
    await (await this.#parts.loaded).idle();
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.#parts.observers.messages();
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.#parts.observers.events();
  }

  async interrupt(): Promise<InterruptReceipt> {
    return (await this.#parts.loaded).interrupt();
  }

  async setModel(model: string): Promise<void> {
    await this.#ask((session) => session.setModel(model));
    this.#now.supervisor?.kept.note({ model });
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    await this.#ask((session) => session.setPermissionMode(mode));
    this.#now.supervisor?.kept.note({ permissionMode: mode });
  }

  async setMaxThinkingTokens(tokens: number | null): Promise<void> {
    await this.#ask((session) => session.setMaxThinkingTokens(tokens));
    this.#now.supervisor?.kept.note({ maxThinkingTokens: tokens });
  }

  rewindFiles(turnId: string, options?: { dryRun?: boolean | undefined }): Promise<RewindReport> {
    return this.#ask((session) => session.rewindFiles(turnId, options));
  }

  mcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.#ask((session) => session.mcpStatus());
  }

  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpServersChange> {
    return this.#askAlways('setMcpServers', (session) => session.setMcpServers(servers));
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

  async answerPermission(id: string, answer: PermissionOutcome): Promise<void> {
    if (!this.#session) throw new NoSuchPermissionError(id);
    await this.#session.answerPermission(id, answer);
  }

  async clear(): Promise<void> {
    await this.send('/clear').result();
  }

  async fork(options: SessionOptions<T> = {}): Promise<SupervisedSession<T>> {
    const { id, finishedTurn } = await this.#parts.loaded;
    if (id === undefined || !finishedTurn) throw new SessionNotForkableError();
    const fork: SessionOptions<T> = { resume: id, forkSession: true, ...options };
    const own = this.#parts.layers.map(({ sessionId, resume, resumeAt, continue: _, forkSession, ...kept }) => kept);
    const session = this.#parts.open([fork, ...(own as SessionOptions<T>[])]);
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

  async stop(): Promise<ExitReport> {
    return (await this.#parts.loaded).stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** The newest CLI's own session. */
  get #session(): SessionHandle<unknown> | undefined {
    return this.#now.supervisor?.life?.session;
  }

  async #ask<R>(run: (session: SessionHandle<unknown>) => Promise<R>): Promise<R> {
    return (await this.#parts.loaded).ask(run);
  }

  /** Asks, and asks each CLI that comes after this one as well. */
  async #askAlways<R>(what: string, run: (session: SessionHandle<unknown>) => Promise<R>): Promise<R> {
    const supervisor = await this.#parts.loaded;
    const answer = await supervisor.ask(run);
    supervisor.kept.repeat(what, run);
    return answer;
  }
}

function addTo(supervisor: Supervisor, turn: SupervisedTurn<unknown>): void {
  if (supervisor.stopping) turn.feed.end(supervisor.stoppedError('The turn was not sent'));
  else supervisor.turns.add(turn);
}

/** A session nobody holds can be neither used nor stopped. */
function endWhenDropped(handle: object, loaded: Promise<Supervisor>): void {
  const dropped = new FinalizationRegistry(() => void loaded.then(endDropped));
  dropped.register(handle, undefined);
  // The registry must live as long as what it watches for can happen.
  loaded
    .then((supervisor) => supervisor.closed)
    .then(
      () => dropped,
      () => {},
    );
}

function endDropped(supervisor: Supervisor): void {
  if (supervisor.stopping) return;
  const message = 'A supervised session was dropped without being stopped; its process was ended.';
  supervisor.warn(warning('session-abandoned', message, { pid: supervisor.life?.session.pid ?? null }));
  void supervisor.stop();
}
