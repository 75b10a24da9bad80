/** What the model did in a recorded conversation, and what its tool calls returned. Plain JSON, so that a repository can keep it. */
export interface Scenario {
  readonly format: 1;
  /** Its name in reports, such as the name of the file. */
  readonly name: string;
  /** The CLI release that recorded it. */
  readonly release?: string;
  /** The working directory and the home directory of the recording. */
  readonly cwd?: string;
  readonly home?: string;
  readonly turns: readonly ScenarioTurn[];
  readonly agents: readonly ScenarioAgent[];
  /** The results of the tool calls, by the id of the call. */
  readonly results: Readonly<Record<string, RecordedResult>>;
  /** Files that the conversation read or changed, with their content before it, by their recorded path. */
  readonly files: Readonly<Record<string, string>>;
  /** What cannot be rehearsed, and why. */
  readonly gaps: readonly Gap[];
}

/** A prompt, and the replies of the model until the turn ended. */
export interface ScenarioTurn {
  readonly prompt: readonly PromptBlock[];
  readonly replies: readonly ModelReply[];
}

/** The replies of the model to one subagent, which is found by its prompt. */
export interface ScenarioAgent {
  readonly prompt: string;
  readonly replies: readonly ModelReply[];
}

/** A block of a prompt. */
export type PromptBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly source: Readonly<Record<string, unknown>> };

/** One reply of the model: its blocks in order. */
export type ModelReply = readonly ReplyBlock[];

/** A block of a reply. */
export type ReplyBlock =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'thinking'; readonly thinking: string }
  | RecordedCall;

/** A tool call of the model. */
export interface RecordedCall {
  readonly type: 'tool_use';
  /** Unique in the scenario. */
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** The outcome of a tool call. */
export interface RecordedResult {
  readonly outcome: CallOutcome;
  /** How it was decided, if the release recorded that. */
  readonly how?: CallDecider;
  /** What the model read. */
  readonly text: string;
  readonly isError: boolean;
}

/**
 * `ran`: the tool was called, whether it succeeded or not. `refused`: a rule, a hook, a callback or a person denied it.
 * `invalid`: the CLI rejected the input before it asked anybody. `missing`: the agent has no such tool.
 */
export type CallOutcome = 'ran' | 'refused' | 'invalid' | 'missing';

/** What decided: a rule or the permission mode, a hook, the answer to a permission request, or that nobody could be asked. */
export type CallDecider = 'rule' | 'hook' | 'asked' | 'nobody';

/** A part of a conversation that a rehearsal leaves out or changes. */
export interface Gap {
  readonly what: string;
  /** The turn, counted from 1. */
  readonly turn?: number;
  /** The id of the call. */
  readonly call?: string;
}

/** All tool calls of a scenario, with the turn of each; those of subagents have none. */
export function callsOf(
  scenario: Scenario,
): readonly { readonly call: RecordedCall; readonly turn: number | undefined }[] {
  const inReplies = (replies: readonly ModelReply[], turn: number | undefined) =>
    replies.flat().flatMap((block) => (block.type === 'tool_use' ? [{ call: block, turn }] : []));
  return [
    ...scenario.turns.flatMap(({ replies }, index) => inReplies(replies, index + 1)),
    ...scenario.agents.flatMap(({ replies }) => inReplies(replies, undefined)),
  ];
}
