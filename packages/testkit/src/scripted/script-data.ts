/** Any value that survives JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: JsonValue | undefined;
}

/** A whole script as plain JSON: what the scripted CLI's process reads. */
export interface ScriptData {
  readonly cli: CliTraits;
  /** Runs as the process starts, before it reads anything. */
  readonly start: readonly Step[];
  /** Tried in order; the first that fits the prompt is played. */
  readonly rules: readonly Rule[];
}

/** What the scripted CLI says it is, and how it behaves outside its turns. */
export interface CliTraits {
  readonly version: string;
  /** Replaces the whole output of `--version`. */
  readonly versionOutput?: { readonly text: string; readonly exitCode: number; readonly delayMs: number };
  readonly model: string;
  readonly tools: readonly string[] | null;
  /** Milliseconds between the pieces of a text that has no pace of its own. */
  readonly paceMs: number;
  /** Flags refused as unknown, as an older CLI would. */
  readonly rejectedFlags: readonly string[];
  /** The sessions `--resume` finds; null: every well-formed id. */
  readonly sessions: readonly string[] | null;
  readonly ignores: readonly Ignorable[];
  /** Fields merged into the answer to `initialize`. */
  readonly initialize: JsonObject;
}

/** What the scripted CLI can be told to ignore. */
export type Ignorable = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EOF' | 'end_session' | 'interrupt' | 'initialize';

/** One rule: which prompts it answers, how often, and with what. */
export interface Rule {
  /** A regular expression; null fits every prompt. */
  readonly prompt: { readonly source: string; readonly flags: string } | null;
  readonly times: number | null;
  readonly steps: readonly Step[];
}

/** One thing the scripted agent does. */
export type Step =
  | { readonly step: 'think'; readonly text: string; readonly signature: string; readonly everyMs: number | null }
  | { readonly step: 'redacted-thinking'; readonly data: string }
  | { readonly step: 'say'; readonly text: string; readonly everyMs: number | null }
  | { readonly step: 'tools'; readonly calls: readonly ToolCall[] }
  | SubagentStep
  | BackgroundStep
  | { readonly step: 'retry'; readonly status: number | null; readonly attempts: number; readonly delayMs: number }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'forever' }
  | EndStep
  | FaultStep;

/** The steps that end a turn, each in its own way. */
export type EndStep =
  | { readonly step: 'result'; readonly fields: ResultFields }
  | { readonly step: 'api-error'; readonly status: number | null; readonly error: string; readonly text: string }
  | { readonly step: 'max-turns'; readonly limit: number }
  | { readonly step: 'max-budget'; readonly limitUsd: number }
  | { readonly step: 'structured-output'; readonly value: JsonValue; readonly rejected: readonly RejectedOutput[] }
  | { readonly step: 'structured-output-fails'; readonly rejected: readonly RejectedOutput[] }
  | { readonly step: 'fail'; readonly errors: readonly string[] };

/** The steps that misbehave. */
export type FaultStep =
  | { readonly step: 'message'; readonly message: JsonObject }
  | { readonly step: 'text'; readonly text: string }
  | { readonly step: 'bytes'; readonly base64: string }
  | { readonly step: 'stderr'; readonly text: string }
  | { readonly step: 'flood'; readonly count: number; readonly bytes: number }
  | { readonly step: 'endless-line'; readonly bytes: number | null }
  | { readonly step: 'ignore'; readonly what: readonly Ignorable[] }
  | { readonly step: 'hold-pipe'; readonly ms: number }
  | { readonly step: 'close-stdout' }
  | { readonly step: 'exit'; readonly code: number }
  | { readonly step: 'crash'; readonly signal: string };

/** One tool call and what comes of it. */
export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What the model is told; null: what the tool would say, or the answer of an SDK-hosted server. */
  readonly result: string | readonly JsonObject[] | null;
  /** What `tool_use_result` carries; null: derived from the tool's name and result. */
  readonly output: JsonValue;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly permission: ToolPermission;
}

/**
 * Whether a call needs leave. `auto`: asks only where somebody can be asked and no rule, mode or harmlessness
 * speaks for it; `ask`: always asks, and is refused where nobody can be asked; `allow`: never asks.
 */
export type ToolPermission = 'auto' | 'ask' | 'allow';

/** A subagent that runs in the foreground; its steps are its own turn. */
export interface SubagentStep {
  readonly step: 'subagent';
  readonly description: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly steps: readonly Step[];
}

/** A shell command left running; `after` is the turn its end brings about. */
export interface BackgroundStep {
  readonly step: 'background';
  readonly command: string;
  readonly runsMs: number;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly after: readonly Step[] | null;
}

/** A structured output the schema check refuses. */
export interface RejectedOutput {
  readonly value: JsonValue;
  readonly problem: string;
}

/** What a result can be told to say; the rest is worked out. */
export interface ResultFields {
  readonly text?: string;
  readonly costUsd?: number;
  readonly durationMs?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly isError?: boolean;
  readonly subtype?: string;
  /** Wire fields set as they stand, over everything else; `null` stays null. */
  readonly fields?: JsonObject;
}
