import type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from '../control/operations.ts';
import type { PermissionOutcome } from '../hooks/outcome.ts';
import { NO_COST, type SessionCost } from '../messages/turn-cost.ts';
import { snapshot } from '../options/copied.ts';
import type { McpServerConfig, PermissionMode, SessionOptions } from '../options/groups.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import { type ExitReport, NEVER_STARTED } from '../process/transport.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from '../session/capabilities.ts';
import type { Health } from '../session/health.ts';
import type { SessionState } from '../session/lifecycle.ts';
import { NOTHING_SAID } from '../session/nothing-said.ts';
import type { Gap } from '../session/observer.ts';
import type { ObservedMessage } from '../session/observers.ts';
import type { RequestOptions, Session } from '../session/session.ts';
import type { Turn, TurnOptions } from '../session/turn.ts';
import type { RunEvent } from '../stream/events.ts';
import type { Pause } from '../supervise/rate-limit.ts';
import type { SupervisedSession, SupervisedState } from '../supervise/supervised-session.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { Late } from './late.ts';
import { LateIterator } from './late-iterator.ts';
import { LateTurn } from './late-turn.ts';

/** A session as the engine makes it: it takes the id that a turn was given before. */
export type Opened<S extends CommonSession> = Omit<S, 'send'> & {
  send<O>(prompt: UserContent, options?: TurnOptions, id?: string): Turn<O>;
};

/** What plain and supervised sessions have in common. */
type CommonSession<T = unknown> = Omit<Session<T>, 'state' | 'fork' | 'send'>;

/** A session that opens as soon as the engine is loaded. Until then everything that is asked of it waits, in order. */
class LateHandle<T, S extends CommonSession<T>> implements CommonSession<T> {
  protected readonly late: Late<Opened<S>>;
  readonly #firstId: string | undefined;

  constructor(id: string | undefined, late: Late<Opened<S>>) {
    this.#firstId = id;
    this.late = late;
  }

  get id(): string | undefined {
    return this.late.now ? this.late.now.id : this.#firstId;
  }

  get pid(): number | undefined {
    return this.late.now?.pid;
  }

  get ready(): Promise<void> {
    return this.late.ask((session) => session.ready);
  }

  get closed(): Promise<ExitReport> {
    return this.late.ask((session) => session.closed).catch(() => NEVER_STARTED);
  }

  get capabilities(): Capabilities {
    return this.late.now?.capabilities ?? NOTHING_SAID;
  }

  get commands(): readonly CommandInfo[] {
    return this.late.now?.commands ?? [];
  }

  get models(): readonly ModelInfo[] {
    return this.late.now?.models ?? [];
  }

  get agents(): readonly AgentInfo[] {
    return this.late.now?.agents ?? [];
  }

  send<O = T>(prompt: UserContent, options?: TurnOptions): Turn<O> {
    if (this.late.now) return this.late.now.send<O>(prompt, options);
    const id = crypto.randomUUID();
    const asked = snapshot(prompt);
    const how = { ...options };
    return new LateTurn<O>(
      id,
      this.late.part((session) => session.send<O>(asked, how, id)),
    );
  }

  push(frame: UserFrame): Promise<void> {
    const asGiven = snapshot(frame);
    return this.late.ask((session) => session.push(asGiven));
  }

  idle(): Promise<void> {
    return this.late.ask((session) => session.idle());
  }

  messages(): AsyncIterableIterator<ObservedMessage | Gap> {
    return this.late.now?.messages() ?? new LateIterator(this.late.part((session) => session.messages()));
  }

  events(): AsyncIterableIterator<RunEvent | Gap> {
    return this.late.now?.events() ?? new LateIterator(this.late.part((session) => session.events()));
  }

  interrupt(): Promise<InterruptReceipt> {
    return this.late.ask((session) => session.interrupt());
  }

  setModel(model: string): Promise<void> {
    return this.late.ask((session) => session.setModel(model));
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return this.late.ask((session) => session.setPermissionMode(mode));
  }

  setMaxThinkingTokens(tokens: number | null): Promise<void> {
    return this.late.ask((session) => session.setMaxThinkingTokens(tokens));
  }

  rewindFiles(turnId: string, options?: { readonly dryRun?: boolean | undefined }): Promise<RewindReport> {
    return this.late.ask((session) => session.rewindFiles(turnId, options));
  }

  mcpStatus(): Promise<readonly McpServerStatus[]> {
    return this.late.ask((session) => session.mcpStatus());
  }

  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpServersChange> {
    return this.late.ask((session) => session.setMcpServers(servers));
  }

  reconnectMcpServer(name: string): Promise<void> {
    return this.late.ask((session) => session.reconnectMcpServer(name));
  }

  toggleMcpServer(name: string, enabled: boolean): Promise<void> {
    return this.late.ask((session) => session.toggleMcpServer(name, enabled));
  }

  contextUsage(): Promise<ContextUsage> {
    return this.late.ask((session) => session.contextUsage());
  }

  getSettings(): Promise<SettingsReport> {
    return this.late.ask((session) => session.getSettings());
  }

  applySettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    return this.late.ask((session) => session.applySettings(settings));
  }

  stopTask(taskId: string): Promise<void> {
    return this.late.ask((session) => session.stopTask(taskId));
  }

  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown> {
    return this.late.ask((session) => session.request(subtype, payload, options));
  }

  pendingPermissions(): readonly PermissionRequest[] {
    return this.late.now?.pendingPermissions() ?? [];
  }

  answerPermission(id: string, answer: PermissionOutcome): Promise<void> {
    return this.late.ask((session) => session.answerPermission(id, answer));
  }

  clear(): Promise<void> {
    return this.late.ask((session) => session.clear());
  }

  cost(): SessionCost {
    return this.late.now?.cost() ?? { ...NO_COST, background: NO_COST };
  }

  health(): Health {
    return this.late.now?.health() ?? { status: 'degraded', reason: 'the session is starting' };
  }

  stop(): Promise<ExitReport> {
    return this.late.ask((session) => session.stop()).catch(() => NEVER_STARTED);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}

/** A session that opens as soon as the engine is loaded. */
export class LateSession<T> extends LateHandle<T, Session<T>> implements Session<T> {
  get state(): SessionState {
    return this.late.now?.state ?? 'starting';
  }

  fork(options?: SessionOptions<T>): Promise<Session<T>> {
    return this.late.ask((session) => session.fork(options));
  }
}

/** A supervised session that opens as soon as the engine is loaded. */
export class LateSupervisedSession<T> extends LateHandle<T, SupervisedSession<T>> implements SupervisedSession<T> {
  get state(): SupervisedState {
    return this.late.now?.state ?? 'starting';
  }

  get paused(): Pause | undefined {
    return this.late.now?.paused;
  }

  get restarts(): number {
    return this.late.now?.restarts ?? 0;
  }

  fork(options?: SessionOptions<T>): Promise<SupervisedSession<T>> {
    return this.late.ask((session) => session.fork(options));
  }
}
