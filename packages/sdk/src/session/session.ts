import type { PermissionDecision } from '../callbacks/decisions.ts';
import type { PendingPermission } from '../callbacks/permission-request.ts';
import type { LifecycleState } from '../connection/state.ts';
import type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from '../control/answers.ts';
import type {
  AccountInfo,
  ListedHook,
  ListedName,
  ListedRule,
  McpResourceContent,
  ReloadedPlugins,
  TaskOutput,
  UsageReport,
} from '../control/listings.ts';
import type { Loaded } from '../control/loaded.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from '../conversation/capabilities.ts';
import type { SendOptions, Turn } from '../conversation/turn.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import type { McpServerConfig } from '../options/mcp-server-config.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { ParkedRequest } from '../park/parked-request.ts';
import type { ExitReport } from '../process/transport.ts';
import type { RunEvent } from '../report/events.ts';
import type { ObservedMessage, ObservedRun, RunObserver } from '../report/run-observer.ts';
import type { Gap } from '../stream/newest-items.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { PermissionMode } from '../wire/permission-mode.ts';
import type { Health } from './health.ts';

/** The state of a session. With `restart`, `restarting` from the death of a CLI until the next one is ready. */
export type SessionState = LifecycleState | 'restarting';

/** Why no turn is sent at the moment: the API refused a request. */
export interface Pause {
  readonly reason: 'rate-limit' | 'overloaded';
  /** In ms since the epoch. */
  readonly until: number;
  /** Which limit was reached, if the CLI reported it: `five_hour`, `seven_day`, … */
  readonly limit: string | null;
}

/** How files are rewound. */
export interface RewindOptions extends RequestOptions {
  /** Reports what would change, and changes nothing. */
  readonly dryRun?: boolean | undefined;
}

/** Asks the CLI for its health. */
export interface HealthProbe {
  readonly probe: true;
  readonly timeoutMs?: number | undefined;
}

/** A long-lived two-way conversation with one CLI process. */
export interface Session<T = unknown> extends AsyncDisposable {
  /** The conversation's id; with `continue` it is unknown until the first turn. */
  readonly id: string | undefined;
  readonly state: SessionState;
  /** How often another CLI was started, after a crash or for a turn with its own options; 0 without `restart`. */
  readonly restarts: number;
  /** With `restart`: why no turn is sent at the moment, and until when. */
  readonly paused: Pause | undefined;
  readonly pid: number | undefined;
  /** Resolves when the handshake is done. @throws the start error */
  readonly ready: Promise<void>;
  /** Resolves when the process has exited; never rejects. */
  readonly closed: Promise<ExitReport>;
  readonly capabilities: Capabilities;
  readonly commands: readonly CommandInfo[];
  readonly models: readonly ModelInfo[];
  readonly agents: readonly AgentInfo[];
  /** Who pays for the requests to the API; `undefined` before `ready`. */
  readonly account: AccountInfo | undefined;
  /** The turn that was parked, in a session that was opened with `parked`. */
  readonly parkedTurn: Turn<T> | undefined;

  /**
   * Sends a prompt. Turns run one at a time, in order. Never throws: the turn reports errors. Options that the CLI reads at its
   * start need `restart`: another CLI runs the turn.
   */
  send<O = T>(prompt: UserContent, options?: SendOptions<O>): Turn<O>;
  /** The turns whose prompts have not been sent yet, in order; `interrupt()` withdraws one. */
  waitingTurns(): readonly Turn[];
  /**
   * Adds to the prompt of the running turn, like `turn.steer()` for code that does not have the turn. @throws
   * TurnEndedError
   */
  steer(content: UserContent): Promise<void>;
  /**
   * Writes a raw user frame. The resulting messages reach `messages()`, not a turn. @throws SessionStoppedError,
   * TransportError
   */
  push(frame: UserFrame): Promise<void>;
  /** Resolves when no turn is running or queued and no background task is open. */
  idle(): Promise<void>;
  /** All messages from now on; a reader that falls behind loses the oldest and gets a `gap` with their number. */
  messages(): AsyncIterableIterator<ObservedMessage | Gap>;
  /** All events; the first reader gets them from the start. */
  events(): AsyncIterableIterator<RunEvent | Gap>;
  /** Watches the session from now on, until it ends or the returned function is called. */
  observe(observer: RunObserver): () => void;

  /** Ends the running turn early. @throws ControlTimeoutError, SessionStoppedError */
  interrupt(options?: RequestOptions): Promise<InterruptReceipt>;
  setModel(model: string, options?: RequestOptions): Promise<void>;
  setPermissionMode(mode: PermissionMode, options?: RequestOptions): Promise<void>;
  /** 0 turns thinking off, `null` restores the default. */
  setMaxThinkingTokens(tokens: number | null, options?: RequestOptions): Promise<void>;
  /** Restores files to their state before the turn. @throws CheckpointingNotEnabledError */
  rewindFiles(turnId: string, options?: RewindOptions): Promise<RewindReport>;
  mcpStatus(options?: RequestOptions): Promise<readonly McpServerStatus[]>;
  setMcpServers(
    servers: Readonly<Record<string, McpServerConfig>>,
    options?: RequestOptions,
  ): Promise<McpServersChange>;
  reconnectMcpServer(name: string, options?: RequestOptions): Promise<void>;
  toggleMcpServer(name: string, enabled: boolean, options?: RequestOptions): Promise<void>;
  contextUsage(options?: RequestOptions): Promise<ContextUsage>;
  getSettings(options?: RequestOptions): Promise<SettingsReport>;
  applySettings(settings: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<void>;
  /**
   * What was loaded from the machine, the project and the options: settings, hooks, MCP servers, CLAUDE.md files, plugins,
   * skills and agents.
   */
  loaded(options?: RequestOptions): Promise<Loaded>;
  /** The permission rules in force, from every source. */
  permissionRules(options?: RequestOptions): Promise<readonly ListedRule[]>;
  /** The hooks in settings and plugins. Those of this program are not listed. */
  configuredHooks(options?: RequestOptions): Promise<readonly ListedHook[]>;
  /** What the session has used, and the limits of the account. */
  usage(options?: RequestOptions): Promise<UsageReport>;
  /** Reads plugins again from disk. */
  reloadPlugins(options?: RequestOptions): Promise<ReloadedPlugins>;
  /** Reads skills again from disk, and returns them. */
  reloadSkills(options?: RequestOptions): Promise<readonly ListedName[]>;
  /** Reads output styles again from disk, and returns their names. */
  reloadOutputStyles(options?: RequestOptions): Promise<readonly string[]>;
  /** Reads a resource of an MCP server. The CLI reads only those with the scheme `ui://`. */
  readMcpResource(server: string, uri: string, options?: RequestOptions): Promise<readonly McpResourceContent[]>;
  stopTask(taskId: string, options?: RequestOptions): Promise<void>;
  /** The output of a background command so far; `task_started` messages have its id. */
  taskOutput(taskId: string, options?: RequestOptions): Promise<TaskOutput>;
  /** Any other control request of the CLI. @throws ControlRequestError, ControlTimeoutError, SessionStoppedError */
  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown>;

  /** Permission requests that are not answered yet, as plain JSON; their `job` and `key` are `null`. */
  pendingPermissions(): readonly PendingPermission[];
  /** Answers a permission request. @throws NoSuchPermissionError */
  answerPermission(id: string, answer: PermissionDecision): Promise<void>;

  /**
   * What `park()` would return, as soon as the store has everything that is needed; the session continues. Store it if the request
   * must survive a crash of this program. @throws NoSuchPermissionError, CannotParkError
   */
  parkable(requestId: string): Promise<ParkedRequest>;
  /**
   * Ends the session while a permission request waits, and returns what another session needs to resume the turn: pass it to
   * `openSession({ parked })`, anywhere and at any time. The turn fails with `TurnParkedError`. Needs a `sessionStore`.
   * @throws NoSuchPermissionError; CannotParkError, and the request still waits
   */
  park(requestId: string): Promise<ParkedRequest>;

  /** Forgets the conversation: the next turn starts a new one, under a new id. */
  clear(): Promise<void>;
  /** Continues in a copy of the conversation, in a new session with the same options. @throws SessionNotForkableError, the start error */
  fork(options?: AgentOptions<T>): Promise<Session<T>>;
  /** Sends the CLI a request, even during a turn; resolves with the milliseconds until its answer. @throws ControlTimeoutError, SessionStoppedError */
  ping(options?: RequestOptions): Promise<number>;
  /** Judges the session by its past, without a request. */
  health(): Health;
  /** The same with a request to the CLI: without an answer within 5 s, or `timeoutMs`, it is unhealthy. Never rejects. */
  health(options: HealthProbe): Promise<Health>;
  /** The cost of the session so far, as reported by results: all turns and the CLI's background work. */
  cost(): SessionCost;
  /** Ends the session; resolves when the process has exited. A guarded tool never runs because of it. */
  close(): Promise<ExitReport>;
}

const sessions = new WeakMap<ObservedRun, WeakRef<Session>>();

/**
 * The session of an observed run, as soon as `openSession` has returned. `undefined` for a query, and for a session that the
 * program has dropped: observing does not keep it open, but a reference to what this returns does.
 */
export function sessionOf(run: ObservedRun): Session | undefined {
  return sessions.get(run)?.deref();
}

/** Registers a session under its run. */
export function noteSession(run: ObservedRun, session: Session): void {
  sessions.set(run, new WeakRef(session));
}
