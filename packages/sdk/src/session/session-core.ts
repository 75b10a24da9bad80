import type { InterruptReceipt } from '../control/answers.ts';
import type { RequestOptions } from '../control/pending.ts';
import type { ConversationProcess } from '../conversation/conversation-process.ts';
import type { QueuedTurn, TurnRequest } from '../conversation/turn.ts';
import type { TurnSettings } from '../conversation/turn-settings.ts';
import type { AgentOptions } from '../options/option-types.ts';
import type { ParkedRequest } from '../park/parked-request.ts';
import type { ExitReport } from '../process/transport.ts';
import type { Warning } from '../warnings/warning.ts';
import type { Pause, SessionState } from './session.ts';

/** An operation on one CLI process. */
export interface Operation<R> {
  /** The control request that it sends. */
  readonly kind: string;
  run(conversation: ConversationProcess, options: RequestOptions): Promise<R>;
}

/** How a restarting session repeats an operation on the next CLI. */
export type Repetition =
  /** Through the options of its start. */
  | { readonly settings: TurnSettings }
  /** By repeating the request. */
  | NamedRepetition;

/** Operations are repeated in the order of the last calls under each name, or of the first ones when `keepsPlace` is set. */
export interface NamedRepetition {
  readonly name: string;
  readonly keepsPlace?: boolean;
  /** A CLI that refuses it is not used. */
  readonly guards?: boolean;
  /** A CLI for which it throws is not used. */
  readonly check?: ((process: Pick<ConversationProcess, 'servers'>) => Promise<void>) | undefined;
}

/** What a handle controls: a session that ends with its CLI process, or one that restarts it. */
export interface SessionCore {
  readonly ready: Promise<void>;
  readonly closed: Promise<ExitReport>;
  readonly id: string | undefined;
  readonly state: SessionState;
  /** True from the call of `stop()` or the end of the session on. */
  readonly stopping: boolean;
  readonly restarts: number;
  readonly paused: Pause | undefined;
  /** The options of the session, without those of a turn. */
  readonly given: AgentOptions;
  /** Whether it can start another CLI for a turn. */
  readonly replaces: boolean;
  /** The current CLI process, or the last one. */
  readonly conversation: ConversationProcess;
  /** True when the conversation can be resumed by another process. */
  readonly forkable: boolean;
  /** The model with which another process must continue, if a turn or the caller has changed it. */
  readonly modelToKeep: string | undefined;
  /** The turn that was parked, in a session that resumes one. */
  readonly parkedTurn: QueuedTurn | undefined;
  /** The turns whose prompts have not been sent, in order. */
  readonly waitingTurns: readonly QueuedTurn[];
  /** Runs an operation on the CLI as soon as it is ready. */
  ask<R>(operation: Operation<R>, options?: RequestOptions, repeat?: Repetition): Promise<R>;
  sendTurn<T>(request: TurnRequest<T>): QueuedTurn<T>;
  interrupt(options?: RequestOptions): Promise<InterruptReceipt>;
  idle(): Promise<void>;
  /** Ends the session while a permission request waits. @throws NoSuchPermissionError, CannotParkError */
  park(requestId: string): Promise<ParkedRequest>;
  warn(warning: Warning): void;
  stop(): Promise<ExitReport>;
}
