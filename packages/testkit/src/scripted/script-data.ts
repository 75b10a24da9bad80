import type { Fault, FaultRule } from './fault-data.ts';

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
  readonly start: readonly StartRule[];
  /** What goes wrong outside the turns. */
  readonly faults: readonly FaultRule[];
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
  /** Milliseconds between the pieces of a text that sets no pace. */
  readonly paceMs: number;
  /** Milliseconds between the signs of life while a hook is waited for. */
  readonly heartbeatMs: number;
  /** Flags refused as unknown, as an older CLI would. */
  readonly rejectedFlags: readonly string[];
  /** The sessions `--resume` finds beside those of earlier runs. */
  readonly sessions: readonly string[];
  /** Fields merged into the answer to `initialize`. */
  readonly initialize: JsonObject;
  /** What other control requests are answered, by their subtype. */
  readonly answers: Readonly<Record<string, RequestAnswer>>;
}

/** What a control request of the host is answered. */
export type RequestAnswer =
  | { readonly response?: JsonObject }
  | { readonly error: string; readonly errorCode?: string };

/** One rule: which prompts it answers, how often, and with what. */
export interface Rule {
  /** A regular expression; null fits every prompt. */
  readonly prompt: { readonly source: string; readonly flags: string } | null;
  readonly times: number | null;
  /** The run it holds for, counted from 1; null: every one. */
  readonly inRun: number | null;
  readonly steps: readonly Step[];
}

/** What happens as a run starts. */
export interface StartRule {
  readonly inRun: number | null;
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
  | RetryStep
  | { readonly step: 'rate-limit'; readonly info: JsonObject }
  | { readonly step: 'rejected-output'; readonly value: JsonValue; readonly problem: string }
  | { readonly step: 'hook'; readonly event: string; readonly input: JsonObject }
  | { readonly step: 'compact'; readonly summary: string | null }
  | { readonly step: 'wait'; readonly ms: number }
  | { readonly step: 'forever' }
  | EndStep
  | { readonly step: 'fault'; readonly fault: Fault };

/** The steps that end a turn, each in its own way; `fields` is what its result is told to say. */
export type EndStep = { readonly fields: ResultFields } & (
  | { readonly step: 'result' }
  | { readonly step: 'api-error'; readonly status: number | null; readonly error: string; readonly text: string }
  | { readonly step: 'max-turns'; readonly limit: number }
  | { readonly step: 'max-budget'; readonly limitUsd: number }
  | { readonly step: 'structured-output'; readonly value: JsonValue }
  | { readonly step: 'structured-output-fails' }
  | { readonly step: 'fail'; readonly errors: readonly string[] }
);

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
  /** What the tool's server asks the user before it answers. */
  readonly elicits: Elicitation | null;
}

/** A question of an MCP server to the user. */
export interface Elicitation {
  readonly message: string;
  /** The JSON Schema of the answer. */
  readonly schema: JsonObject;
}

/**
 * Whether a call needs permission. `auto`: asks unless a rule, the mode or the kind of tool allows it, or the host
 * cannot be asked; `ask`: always asks, and is denied if the host cannot be asked; `allow`: never asks.
 */
export type ToolPermission = 'auto' | 'ask' | 'allow';

/** The API fails a few times and is asked again. */
export interface RetryStep {
  readonly step: 'retry';
  readonly status: number | null;
  readonly attempts: number;
  readonly maxRetries: number;
  /** What the CLI says it waits. */
  readonly delayMs: number;
  /** What it waits. */
  readonly waitMs: number;
}

/** A subagent: its steps are its own turn. In the background it outlives the turn, and `after` is the turn its end brings. */
export interface SubagentStep {
  readonly step: 'subagent';
  readonly description: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly background: boolean;
  readonly steps: readonly Step[];
  readonly after: readonly Step[] | null;
}

/** A shell command left running; `after` is the turn its end brings about. */
export interface BackgroundStep {
  readonly step: 'background';
  readonly command: string;
  readonly runsMs: number;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly after: readonly Step[] | null;
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
