import type { JsonObject } from '../json.ts';

/** One fault, as plain JSON. Create it with `faults`. */
export type Fault = WrittenFault | OutputFault | AnswerFault | ResultFault | ProcessFault;

/** The moment of a fault outside of a turn. */
export type FaultMoment =
  /** The process starts and has not read anything. */
  | 'start'
  /** A control request of this subtype, such as `request:initialize`, has arrived and is not answered yet. */
  | `request:${string}`
  /** A prompt has arrived; its turn has not started. */
  | 'prompt'
  /** A hook was requested and is not answered. */
  | 'hook'
  /** The host was asked for permission and has not answered. */
  | 'permission'
  /** A tool of the host was called and has not answered. */
  | 'tool-call'
  /** A result was written. */
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

/** Invalid output. */
export type WrittenFault =
  | { readonly fault: 'text'; readonly text: string }
  | { readonly fault: 'bytes'; readonly base64: string }
  | { readonly fault: 'message'; readonly message: JsonObject }
  | { readonly fault: 'stderr'; readonly text: string }
  | { readonly fault: 'flood'; readonly to: OutputPipe; readonly count: number; readonly bytes: number }
  | { readonly fault: 'endless-line'; readonly to: OutputPipe; readonly bytes: number | null };

/** A change of all further output. */
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
  /** Size of the pieces in bytes in which output is written, one at a time. */
  readonly pieceBytes?: number;
  /** Output within this many milliseconds is combined into one write. */
  readonly mergeMs?: number;
  /** Delays every write by this many milliseconds. */
  readonly delayMs?: number;
}

/** A change of the answers to requests of one kind. */
export interface AnswerFault {
  readonly fault: 'answers';
  /** The subtype of the request; `*` means all. */
  readonly to: string;
  readonly how: 'missing' | 'late' | 'double' | 'error' | 'garbage' | 'malformed';
  readonly ms: number;
}

/** A change of results, or of all messages. */
export type ResultFault =
  | { readonly fault: 'results'; readonly how: 'missing' | 'late' | 'double' | 'open'; readonly ms: number }
  | { readonly fault: 'fields'; readonly fields: JsonObject };

/** Faults of the process itself, its pipes and its signals. */
export type ProcessFault =
  | { readonly fault: 'ignore'; readonly what: readonly Ignorable[] }
  | { readonly fault: 'hold-pipe'; readonly ms: number }
  | { readonly fault: 'close'; readonly what: 'stdin' | OutputPipe }
  | { readonly fault: 'deaf' }
  | { readonly fault: 'exit'; readonly code: number }
  | { readonly fault: 'crash'; readonly signal: string };

/** The two pipes a CLI writes to. */
export type OutputPipe = 'stdout' | 'stderr';

/** Events that the scripted CLI can ignore. */
export type Ignorable = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EOF' | 'end_session' | 'interrupt' | 'initialize';
