import type { JsonObject } from '../../json.ts';
import type { OutputManner, OutputPipe } from '../fault-data.ts';
import type { Usage } from './frames/usage.ts';

/** The interpreter's input: received bytes, elapsed time, signals. */
export type CliEvent =
  | { readonly event: 'start' }
  | { readonly event: 'input'; readonly text: string }
  | { readonly event: 'input-end' }
  | { readonly event: 'timer'; readonly timer: number }
  | { readonly event: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' };

/** The interpreter's output, in order. */
export type Effect =
  | { readonly effect: 'write'; readonly text: string }
  | { readonly effect: 'write-bytes'; readonly base64: string }
  | { readonly effect: 'stderr'; readonly text: string }
  | { readonly effect: 'manner'; readonly manner: OutputManner }
  | FloodEffect
  | EndlessEffect
  | { readonly effect: 'set-timer'; readonly timer: number; readonly ms: number }
  | { readonly effect: 'clear-timer'; readonly timer: number }
  | { readonly effect: 'hold-pipe'; readonly ms: number }
  | { readonly effect: 'close'; readonly what: 'stdin' | OutputPipe }
  | { readonly effect: 'deaf' }
  | { readonly effect: 'pause'; readonly ms: number }
  | { readonly effect: 'record'; readonly entry: RunEntry }
  | { readonly effect: 'exit'; readonly code: number }
  | { readonly effect: 'crash'; readonly signal: string };

/** Many lines at full speed. */
export interface FloodEffect {
  readonly effect: 'flood';
  readonly to: OutputPipe;
  readonly count: number;
  readonly head: string;
  readonly tail: string;
}

/** One endless line. */
export interface EndlessEffect {
  readonly effect: 'endless-line';
  readonly to: OutputPipe;
  readonly head: string;
  readonly bytes: number | null;
}

/** An entry in the log of a run, for the test that reads it later. */
export type RunEntry =
  | { readonly kind: 'prompt'; readonly text: string }
  | { readonly kind: 'frame'; readonly frame: JsonObject }
  | { readonly kind: 'tool'; readonly name: string; readonly input: unknown; readonly outcome: ToolOutcome }
  | {
      readonly kind: 'elicitation';
      readonly server: string;
      readonly message: string;
      readonly answer: JsonObject;
    }
  | { readonly kind: 'context'; readonly event: string; readonly text: string };

/**
 * The outcome of a tool call. `ran`: it was executed, with or without success; `refused`: by a hook, a rule or the
 * host; `unavailable`: the agent does not have the tool; `invalid`: the host's own tool rejected the input.
 */
export type ToolOutcome = 'ran' | 'refused' | 'unavailable' | 'invalid';

/** The environment of one run. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The settings on the command line. */
  readonly settings: JsonObject | undefined;
  readonly pid: number;
  /** The number of the run of the agent, counted from 1. */
  readonly run: number;
  readonly sessions: SessionMemory;
  /** Milliseconds since the epoch. */
  now(): number;
  newId(): string;
}

/** The sessions of earlier runs of one agent, like transcripts on disk. */
export interface SessionMemory {
  has(id: string): boolean;
  /** Stores the current state of a session. */
  remember(id: string, checkpoints: Checkpoints): void;
  /** The most recently used session. */
  newest(): string | undefined;
  /** The checkpoints of a session. */
  checkpoints(id: string): Checkpoints;
  /** Stores the cost of a session when its process exits cleanly. */
  rememberCosts(id: string, costs: Costs): void;
  /** The cost of a session at the last clean exit of its process. */
  costs(id: string): Costs | undefined;
  /** The entries of its transcript, if the file exists, as for a conversation restored from a session store. */
  transcript(id: string): readonly JsonObject[];
}

/** The cost of a session, by model. */
export type Costs = Readonly<Record<string, Usage>>;

/** The files edited by the turn of each prompt, by the prompt's uuid. */
export type Checkpoints = Readonly<Record<string, readonly string[]>>;
