import type { JsonObject } from './script-data.ts';

/** One thing that goes wrong, as plain JSON. Make it with `faults`. */
export type Fault = WrittenFault | OutputFault | AnswerFault | ResultFault | ProcessFault;

/** When a fault happens, if not at its place in a turn. */
export type FaultMoment =
  /** As the process starts, before it reads anything. */
  | 'start'
  /** A control request of this subtype has come and is not answered yet, such as `request:initialize`. */
  | `request:${string}`
  /** A prompt has come; its turn has not begun. */
  | 'prompt'
  /** A hook has been asked for and is not answered. */
  | 'hook'
  /** The host has been asked for permission and has not answered. */
  | 'permission'
  /** A tool of the host has been called and has not answered. */
  | 'tool-call'
  /** A result is out. */
  | 'result'
  /** The input has ended. */
  | 'input-end'
  /** A signal has been caught. */
  | 'signal';

/** A fault with its moment. */
export interface FaultRule {
  readonly when: FaultMoment;
  /** Only the nth time, counted from 1; null: every time. */
  readonly nth: number | null;
  readonly inRun: number | null;
  readonly fault: Fault;
}

/** Something is written that should not be. */
export type WrittenFault =
  | { readonly fault: 'text'; readonly text: string }
  | { readonly fault: 'bytes'; readonly base64: string }
  | { readonly fault: 'message'; readonly message: JsonObject }
  | { readonly fault: 'stderr'; readonly text: string }
  | { readonly fault: 'flood'; readonly to: OutputPipe; readonly count: number; readonly bytes: number }
  | { readonly fault: 'endless-line'; readonly to: OutputPipe; readonly bytes: number | null };

/** How everything is written from now on. */
export interface OutputFault {
  readonly fault: 'output';
  readonly manner: OutputManner;
}

/** How output is written. */
export interface OutputManner {
  /** What ends a line. */
  readonly lineEnd?: string;
  /** What stands before the next line, once. */
  readonly head?: string;
  /** Blank lines before each line. */
  readonly blankLines?: number;
  /** Writes go out in pieces of so many bytes, one at a time. */
  readonly pieceBytes?: number;
  /** What is written within so many milliseconds goes out in one write. */
  readonly mergeMs?: number;
  /** Every write comes so much later. */
  readonly delayMs?: number;
}

/** How requests of one kind are answered from now on. */
export interface AnswerFault {
  readonly fault: 'answers';
  /** The subtype of the request; `*`: all. */
  readonly to: string;
  readonly how: 'missing' | 'late' | 'double' | 'error' | 'garbage' | 'malformed';
  readonly ms: number;
}

/** How results, or all messages, are sent from now on. */
export type ResultFault =
  | { readonly fault: 'results'; readonly how: 'missing' | 'late' | 'double' | 'open'; readonly ms: number }
  | { readonly fault: 'fields'; readonly fields: JsonObject };

/** What the process does with its pipes, its signals and itself. */
export type ProcessFault =
  | { readonly fault: 'ignore'; readonly what: readonly Ignorable[] }
  | { readonly fault: 'hold-pipe'; readonly ms: number }
  | { readonly fault: 'close'; readonly what: 'stdin' | OutputPipe }
  | { readonly fault: 'deaf' }
  | { readonly fault: 'exit'; readonly code: number }
  | { readonly fault: 'crash'; readonly signal: string };

/** The two pipes a CLI writes to. */
export type OutputPipe = 'stdout' | 'stderr';

/** What the scripted CLI can be told to ignore. */
export type Ignorable = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EOF' | 'end_session' | 'interrupt' | 'initialize';
