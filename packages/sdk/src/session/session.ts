import type {
  ContextUsage,
  InterruptReceipt,
  McpServerStatus,
  McpServersChange,
  RewindReport,
  SettingsReport,
} from '../control/operations.ts';
import type { PermissionDecision } from '../hooks/outcome.ts';
import type { SessionCost } from '../messages/turn-cost.ts';
import type { AgentOptions, McpServerConfig, PermissionMode } from '../options/groups.ts';
import type { PermissionRequest } from '../permissions/request.ts';
import type { ExitReport } from '../process/transport.ts';
import type { RunEvent } from '../stream/events.ts';
import type { UserFrame } from '../wire/encode.ts';
import type { UserContent } from '../wire/messages.ts';
import type { AgentInfo, Capabilities, CommandInfo, ModelInfo } from './capabilities.ts';
import type { Health } from './health.ts';
import type { LifecycleState } from './lifecycle.ts';
import type { Gap } from './observer.ts';
import type { ObservedMessage } from './observers.ts';
import type { Turn, TurnOptions } from './turn.ts';

/** How a session stands; with `restart`, `restarting` from the death of a CLI until the next one is ready. */
export type SessionState = LifecycleState | 'restarting';

/** Why no turn is sent at present: the API refused a request. */
export interface Pause {
  readonly reason: 'rate-limit' | 'overloaded';
  /** In ms since the epoch. */
  readonly until: number;
  /** Which limit was reached, if the CLI said so: `five_hour`, `seven_day`, … */
  readonly limit: string | null;
}

/** How a raw control request is waited for. */
export interface RequestOptions {
  readonly timeoutMs?: number | undefined;
  /** Aborting it withdraws the request. */
  readonly signal?: AbortSignal | undefined;
}

/** A long-lived two-way conversation with one CLI process. */
export interface Session<T = unknown> extends AsyncDisposable {
  /** The conversation's id; unknown until the first turn only when `continue` was used. */
  readonly id: string | undefined;
  readonly state: SessionState;
  /** How often the CLI was started again; 0 without `restart`. */
  readonly restarts: number;
  /** With `restart`: why no turn is sent at present, and until when. */
  readonly paused: Pause | undefined;
  readonly pid: number | undefined;
  /** Settles when the handshake is done. @throws the start error */
  readonly ready: Promise<void>;
  /** Settles when the process is gone; never rejects. */
  readonly closed: Promise<ExitReport>;
  readonly capabilities: Capabilities;
  readonly commands: readonly CommandInfo[];
  readonly models: readonly ModelInfo[];
  readonly agents: readonly AgentInfo[];

  /** Sends a prompt. Turns run one at a time, in order; what goes wrong comes out of the turn. */
  send<O = T>(prompt: UserContent, options?: TurnOptions): Turn<O>;
  /** Writes a raw user frame: the seam under `send`. What it brings reaches `messages()`, not a turn. @throws SessionStoppedError, TransportError */
  push(frame: UserFrame): Promise<void>;
  /** Resolves when no turn runs or waits and no background task is open. */
  idle(): Promise<void>;
  /** All messages from now on; an observer that falls behind loses the oldest and is told how many. */
  messages(): AsyncIterableIterator<ObservedMessage | Gap>;
  /** All events; the first reader gets them from the start. */
  events(): AsyncIterableIterator<RunEvent | Gap>;

  /** Ends the running turn early. @throws ControlTimeoutError, SessionStoppedError */
  interrupt(): Promise<InterruptReceipt>;
  setModel(model: string): Promise<void>;
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /** 0 turns thinking off, `null` goes back to the default. */
  setMaxThinkingTokens(tokens: number | null): Promise<void>;
  /** Brings files back to what they were before the turn. @throws CheckpointingNotEnabledError */
  rewindFiles(turnId: string, options?: { readonly dryRun?: boolean | undefined }): Promise<RewindReport>;
  mcpStatus(): Promise<readonly McpServerStatus[]>;
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<McpServersChange>;
  reconnectMcpServer(name: string): Promise<void>;
  toggleMcpServer(name: string, enabled: boolean): Promise<void>;
  contextUsage(): Promise<ContextUsage>;
  getSettings(): Promise<SettingsReport>;
  applySettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  stopTask(taskId: string): Promise<void>;
  /** Any other control request of the CLI. @throws ControlRequestError, ControlTimeoutError, SessionStoppedError */
  request(subtype: string, payload?: object, options?: RequestOptions): Promise<unknown>;

  /** Permission requests nobody has answered yet, as plain JSON. */
  pendingPermissions(): readonly PermissionRequest[];
  /** Answers one, from wherever. @throws NoSuchPermissionError */
  answerPermission(id: string, answer: PermissionDecision): Promise<void>;

  /** Forgets the conversation: the next turn starts a new one, under a new id. */
  clear(): Promise<void>;
  /** Goes on in a copy of the conversation, in a session of its own with the same options. @throws SessionNotForkableError, the start error */
  fork(options?: AgentOptions<T>): Promise<Session<T>>;
  health(): Health;
  /** What the session has cost so far, as far as results have told: all turns, and what the CLI did by itself. */
  cost(): SessionCost;
  /** Ends the session; resolves when the process is really gone. A guarded tool never runs because of it. */
  close(): Promise<ExitReport>;
}
