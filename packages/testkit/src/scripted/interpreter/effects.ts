import type { JsonObject } from '../../json.ts';
import type { OutputManner, OutputPipe } from '../fault-data.ts';
import type { Usage } from './frames/usage.ts';

/** The interpreter's input: bytes that arrived, time that passed, signals that were caught. */
export type CliEvent =
  | { readonly event: 'start' }
  | { readonly event: 'input'; readonly text: string }
  | { readonly event: 'input-end' }
  | { readonly event: 'timer'; readonly timer: number }
  | { readonly event: 'signal'; readonly signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' };

/** What the interpreter wants done, in order. */
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

/** One line without an end. */
export interface EndlessEffect {
  readonly effect: 'endless-line';
  readonly to: OutputPipe;
  readonly head: string;
  readonly bytes: number | null;
}

/** What the log of a run keeps, for the test that reads it afterwards. */
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
 * What happened to a tool call. `ran`: to its end, with or without success; `refused`: by a hook, a rule or the
 * host; `unavailable`: the agent has no such tool; `invalid`: the host's own tool rejected the input.
 */
export type ToolOutcome = 'ran' | 'refused' | 'unavailable' | 'invalid';

/** The environment of one run, as the interpreter sees it. */
export interface World {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The settings on the command line. */
  readonly settings: JsonObject | undefined;
  readonly pid: number;
  /** Which run of the agent this is, counted from 1. */
  readonly run: number;
  readonly sessions: SessionMemory;
  /** Milliseconds since the epoch. */
  now(): number;
  newId(): string;
}

/** The sessions that the runs of one agent have left behind, as transcripts on disk would be. */
export interface SessionMemory {
  has(id: string): boolean;
  /** Keeps a session as it stands now. */
  remember(id: string, checkpoints: Checkpoints): void;
  /** The session that was used last. */
  newest(): string | undefined;
  /** What a session can be rewound to. */
  checkpoints(id: string): Checkpoints;
  /** Stores what a session has cost, when its process exits cleanly. */
  rememberCosts(id: string, costs: Costs): void;
  /** What a session had cost when a process of it last exited cleanly. */
  costs(id: string): Costs | undefined;
  /** The entries of its transcript, if there is a file: a conversation that was restored from a session store has one. */
  transcript(id: string): readonly JsonObject[];
}

/** What a session has cost, by model. */
export type Costs = Readonly<Record<string, Usage>>;

/** The files that the turn of each prompt edited, by the prompt's uuid. */
export type Checkpoints = Readonly<Record<string, readonly string[]>>;
