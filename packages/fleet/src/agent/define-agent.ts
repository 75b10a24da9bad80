import type { AgentOptions, InterruptedTurn, PermissionRequest, TurnOptions, UserContent } from 'coxswain';
import type { StandardSchema } from 'coxswain/types';
import type { ApprovalTerms } from '../approval/terms.ts';
import type { TurnOutcome } from '../turn/outcome.ts';
import type { RetryPolicy } from '../turn/retry-policy.ts';

/** A turn, as passed to the functions of the agent. */
export interface AgentJob<Data = unknown> {
  readonly id: string;
  readonly key: string;
  readonly tenant: string;
  readonly prompt: UserContent;
  /** The data submitted with the turn; validated if the agent has a schema for it. */
  readonly data: Data;
  /** Counts from 1. */
  readonly attempt: number;
  /**
   * Increases each time a worker claims the conversation. With one checkout per epoch, a worker that was wrongly presumed dead
   * cannot overwrite the files of its successor.
   */
  readonly epoch: number;
  /** The epoch of the claim before. If it is that of a turn which this worker ran, nobody else has had the conversation since. */
  readonly previousEpoch: number;
  /** The `place` of the workspace at the claim before; null if there was none. */
  readonly previousPlace: string | null;
}

/** The agent that the workers of a fleet run. */
export interface FleetAgent<Data = unknown> {
  /** The version of the agent, for lists, for `setRelease()` and in its turns; any text. */
  readonly version?: string | undefined;
  /** The schema of `data`, from any library that follows Standard Schema. A turn whose data does not match fails. */
  readonly data?: StandardSchema<Data> | undefined;
  /** The options of the agent for this turn. `canUseTool` may return `decideLater()`: the request then becomes an approval. */
  readonly options: (job: AgentJob<Data>) => FleetAgentOptions | Promise<FleetAgentOptions>;
  /** The options of the turn. */
  readonly turn?: ((job: AgentJob<Data>) => Omit<TurnOptions, 'signal'>) | undefined;
  /**
   * Who may answer a request for which `canUseTool` returned `decideLater()`, and until when; by default everybody who can answer
   * approvals, without a limit. If it fails, the request is denied.
   */
  readonly approvals?:
    | ((
        request: PermissionRequest,
        job: AgentJob<Data>,
      ) => ApprovalTerms | undefined | Promise<ApprovalTerms | undefined>)
    | undefined;
  /**
   * How long a request may wait for an answer before its turn is parked: its process ends, and its slot and its lease are free until
   * the answer arrives. 30 s by default; 0 parks at once, `Infinity` never. Also without it, an open approval survives a drain and the
   * death of its worker. Some requests cannot be parked, such as those of subagents and of tools in the worker.
   */
  readonly parkAfterMs?: number | undefined;
  /** Brings the agent's files to this machine before a turn, and saves them elsewhere after it. */
  readonly workspace?: Workspace<Data> | undefined;
  /** Whether to send a prompt again if its worker died after sending it, or for `retry` after a tool was called. Default: `never`. */
  readonly replay?: FleetReplay | undefined;
  /**
   * When a turn gets another attempt instead of its outcome, on any worker; by default never. Only if no tool was called, or if `replay` is
   * a function that allows it. `retry` of a submission replaces this.
   */
  readonly retry?: RetryPolicy | undefined;
}

/** The options that belong to the agent; the fleet sets those of the conversation. */
export type FleetAgentOptions = Omit<
  AgentOptions,
  | 'sessionStore'
  | 'storeProject'
  | 'storeFailure'
  | 'storeOnly'
  | 'resume'
  | 'resumeAt'
  | 'continue'
  | 'forkSession'
  | 'sessionId'
  | 'persistSession'
  | 'signal'
>;

/** Whether a lost prompt is sent again: never, only if the model had not begun to answer, or as the function decides. */
export type FleetReplay =
  | 'never'
  | 'unanswered'
  | ((lost: Pick<InterruptedTurn, 'id' | 'prompt' | 'attempts' | 'answered'>) => boolean);

/** The files of a conversation. */
export interface Workspace<Data = unknown> {
  /**
   * Called before the agent starts; `cwd` becomes its working directory. With `isolate`, of the worker or of the agent's
   * options, the agent can read `cwd` and the `readable` files and folders, and can write only to `cwd`.
   */
  prepare(job: AgentJob<Data>): Promise<PreparedFiles>;
  /** Called after the turn and before its outcome is stored, and before it is parked; a failure fails the turn. */
  save?(job: AgentJob<Data>, outcome: SavedOutcome): Promise<void>;
  /**
   * For files that stay on the disk of a worker: names that disk. While a worker with the same place lives, the turns of a
   * conversation go to no other worker. Called once, when a worker starts.
   */
  place?(): Promise<string>;
}

/** The files that are ready for a turn. */
export interface PreparedFiles {
  readonly cwd: string;
  readonly readable?: readonly string[] | undefined;
  /** What the agent must read before the prompt, for example that files are gone; followers see it, too. */
  readonly notice?: string | undefined;
}

/** How a turn ended whose files are saved. `parked`: it continues later, perhaps on another machine. */
export type SavedOutcome = TurnOutcome | { readonly kind: 'parked'; readonly message: string };

/** Returns the agent unchanged; for type inference only. */
export function defineAgent<Data = unknown>(agent: FleetAgent<Data>): FleetAgent<Data> {
  return agent;
}
