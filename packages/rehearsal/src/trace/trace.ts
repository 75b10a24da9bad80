import type { CallDecider, CallOutcome, Gap } from '../scenario/scenario.ts';

/**
 * What happened in a conversation, without what differs from run to run: ids of the run, times, paths, dates. A field that one side
 * could not observe is absent, and not compared.
 */
export interface Trace {
  readonly scenario: string;
  readonly stage: string;
  readonly release?: string;
  readonly turns: readonly TurnTrace[];
  readonly calls: readonly CallTrace[];
  /** The first request of the main conversation, and those that differ from it. */
  readonly requests?: readonly RequestTrace[];
  /** Hooks that do not belong to a tool call, such as `UserPromptSubmit`, in order. */
  readonly hooks?: readonly HookTrace[];
  /** The codes of the warnings. */
  readonly warnings?: readonly string[];
  /** What was not rehearsed. */
  readonly gaps: readonly Gap[];
}

/** One turn. */
export interface TurnTrace {
  readonly prompt: string;
  /** The kind of its outcome: `completed`, `interrupted`, …, or the code of its error. */
  readonly outcome?: string;
}

/** One tool call. */
export interface CallTrace {
  readonly id: string;
  /** Counted from 1; absent for a subagent. */
  readonly turn?: number;
  readonly tool: string;
  /** The command, the path or the input, redacted and cut. */
  readonly input: string;
  readonly outcome: CallOutcome | 'unreached';
  readonly how?: CallDecider;
  /** What the model read about a call that did not run. */
  readonly reason?: string;
  readonly hooks?: readonly HookTrace[];
  /** What came of a call that ran; absent if it returned its recorded result. */
  readonly result?: 'succeeded' | 'failed';
}

/** A hook that was called. */
export interface HookTrace {
  readonly event: string;
  readonly decision: string;
  readonly reason?: string;
}

/** A request to the API. */
export interface RequestTrace {
  readonly by: 'main' | 'subagent';
  readonly model: string;
  readonly effort?: string;
  readonly thinking?: string;
  readonly maxTokens?: number;
  readonly betas: readonly string[];
  readonly tools: readonly TextTrace[];
  readonly deferredTools: readonly string[];
  /** The system prompt, by section. */
  readonly system: readonly TextTrace[];
  /** What the CLI adds to the first message, by section. */
  readonly context: readonly TextTrace[];
}

/** A text that is not shown: its title, its length and its hash. */
export interface TextTrace {
  readonly title: string;
  readonly words: number;
  readonly hash: string;
}
