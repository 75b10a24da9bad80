import type { JsonObject } from '../json.ts';

/** One fault, as plain JSON. Make it with `faults`. */
export type Fault = WrittenFault | OutputFault | AnswerFault | ResultFault | ProcessFault;

/** When a fault happens, if not at its position in a turn. */
export type FaultMoment =
  /** As the process starts, before it reads anything. */
  | 'start'
  /** A control request of this subtype has arrived and is not answered yet, such as `request:initialize`. */
  | `request:${string}`
  /** A prompt has arrived; its turn has not started. */
  | 'prompt'
  /** A hook has been requested and is not answered. */
  | 'hook'
  /** The host has been asked for permission and has not answered. */
  | 'permission'
  /** A tool of the host has been called and has not answered. */
  | 'tool-call'
  /** A result has been written. */
  | 'result'
  /** The input has ended. */
  | 'input-end'
  /** A signal has arrived. */
  | 'signal';

/** A fault with its moment. */
export interface FaultRule {
  readonly when: FaultMoment;
  /** Only the nth time, counted from 1; null means every time. */
  readonly nth: number | null;
  readonly inRun: number | null;
  readonly fault: Fault;
}

/** Writes something it should not. */
export type WrittenFault =
  | { readonly fault: 'text'; readonly text: string }
  | { readonly fault: 'bytes'; readonly base64: string }
  | { readonly fault: 'message'; readonly message: JsonObject }
  | { readonly fault: 'stderr'; readonly text: string }
  | { readonly fault: 'flood'; readonly to: OutputPipe; readonly count: number; readonly bytes: number }
  | { readonly fault: 'endless-line'; readonly to: OutputPipe; readonly bytes: number | null };

/** Changes how everything is written from now on. */
export interface OutputFault {
  readonly fault: 'output';
  readonly manner: OutputManner;
}

/** How output is written. */
export interface OutputManner {
  /** The line ending. */
  readonly lineEnd?: string;
  /** Written once before the next line. */
  readonly head?: string;
  /** Blank lines before each line. */
  readonly blankLines?: number;
  /** Output is written in pieces of this many bytes, one at a time. */
  readonly pieceBytes?: number;
  /** Everything written within this many milliseconds goes out in one write. */
  readonly mergeMs?: number;
  /** Delays every write by this many milliseconds. */
  readonly delayMs?: number;
}

/** Changes how requests of one kind are answered from now on. */
export interface AnswerFault {
  readonly fault: 'answers';
  /** The subtype of the request; `*` means all. */
  readonly to: string;
  readonly how: 'missing' | 'late' | 'double' | 'error' | 'garbage' | 'malformed';
  readonly ms: number;
}

/** Changes how results, or all messages, are sent from now on. */
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

/** What the scripted CLI can ignore. */
export type Ignorable = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EOF' | 'end_session' | 'interrupt' | 'initialize';
