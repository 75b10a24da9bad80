import type { JsonObject, JsonValue } from '../json.ts';
import type { Fault, FaultRule } from './fault-data.ts';

/** A whole script as plain JSON, as the scripted CLI's process reads it. */
export interface ScriptData {
  readonly cli: CliTraits;
  /** Runs as the process starts, before it reads anything. */
  readonly start: readonly StartRule[];
  /** Faults outside the turns. */
  readonly faults: readonly FaultRule[];
  /** Tried in order; the first that matches the prompt is played. */
  readonly rules: readonly Rule[];
}

/** How the scripted CLI presents itself, and how it behaves outside its turns. */
export interface CliTraits {
  readonly version: string;
  /** Replaces the whole output of `--version`. */
  readonly versionOutput?: { readonly text: string; readonly exitCode: number; readonly delayMs: number };
  readonly model: string;
  readonly tools: readonly string[] | null;
  /** Milliseconds between the pieces of a text that sets no pace. */
  readonly paceMs: number;
  /** Milliseconds between the progress messages while a hook runs. */
  readonly heartbeatMs: number;
  /** Flags refused as unknown, as an older CLI would. */
  readonly rejectedFlags: readonly string[];
  /** The sessions `--resume` finds besides those of earlier runs. */
  readonly sessions: readonly string[];
  /** Fields merged into the answer to `initialize`. */
  readonly initialize: JsonObject;
  /** The answers to other control requests, by subtype. */
  readonly answers: Readonly<Record<string, RequestAnswer>>;
}

/** The answer to a control request of the host. */
export type RequestAnswer =
  | { readonly response?: JsonObject }
  | { readonly error: string; readonly errorCode?: string };

/** One rule: which prompts it answers, how often, and with what. */
export interface Rule {
  /** A regular expression; null matches every prompt. */
  readonly prompt: { readonly source: string; readonly flags: string } | null;
  readonly times: number | null;
  /** The run it applies to, counted from 1; null means every run. */
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
  | RefusedStep
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

/** The steps that end a turn; `fields` overrides fields of its result. */
export type EndStep = { readonly fields: ResultFields } & (
  | { readonly step: 'result' }
  | { readonly step: 'api-error'; readonly status: number | null; readonly error: string; readonly text: string }
  | { readonly step: 'max-turns'; readonly limit: number }
  | { readonly step: 'max-budget'; readonly limitUsd: number }
  | { readonly step: 'structured-output'; readonly value: JsonValue }
  | { readonly step: 'structured-output-fails' }
  | { readonly step: 'fail'; readonly errors: readonly string[] }
);

/** One tool call and its outcome. */
export interface ToolCall {
  readonly name: string;
  readonly input: JsonObject;
  /** What the model receives; null means what the tool would return, or the answer of an SDK-hosted server. */
  readonly result: string | readonly JsonObject[] | null;
  /** What `tool_use_result` carries; null: derived from the tool's name and result. */
  readonly output: JsonValue;
  readonly isError: boolean;
  readonly durationMs: number;
  readonly permission: ToolPermission;
  /** What the tool's server asks the user before it answers. */
  readonly elicits: Elicitation | null;
}

/** The rest of a turn in which a call of the last message with tool calls was refused. */
export interface RefusedStep {
  readonly step: 'if-refused';
  readonly steps: readonly Step[];
}

/** A question of an MCP server to the user. */
export interface Elicitation {
  readonly message: string;
  /** The JSON Schema of the answer. */
  readonly schema: JsonObject;
}

/**
 * What the CLI decides about a call that neither a rule nor the permission mode decides: `allow`, `ask` (which is a
 * refusal if the host cannot be asked) or `deny`. `auto` is what the real CLI does, where that was measured; for other
 * calls the run ends with an error that asks for one of the others.
 */
export type ToolPermission = 'auto' | 'allow' | 'ask' | 'deny';

/** The API fails a few times and the CLI retries. */
export interface RetryStep {
  readonly step: 'retry';
  readonly status: number | null;
  readonly attempts: number;
  readonly maxRetries: number;
  /** The delay that the CLI reports. */
  readonly delayMs: number;
  /** The actual delay. */
  readonly waitMs: number;
}

/** A subagent: its steps are its own turn. In the background it outlives the turn; `after` is the turn that follows its end. */
export interface SubagentStep {
  readonly step: 'subagent';
  readonly description: string;
  readonly prompt: string;
  readonly agentType: string;
  readonly background: boolean;
  readonly steps: readonly Step[];
  readonly after: readonly Step[] | null;
}

/** A shell command left running; `after` is the turn that follows its end. */
export interface BackgroundStep {
  readonly step: 'background';
  readonly command: string;
  readonly runsMs: number;
  readonly status: 'completed' | 'failed' | 'stopped';
  readonly permission: ToolPermission;
  readonly after: readonly Step[] | null;
}

/** Overrides for a result; the other fields are computed. */
export interface ResultFields {
  readonly text?: string;
  readonly costUsd?: number;
  readonly durationMs?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly isError?: boolean;
  readonly subtype?: string;
  /** Wire fields set unchanged, over everything else; `null` stays null. */
  readonly fields?: JsonObject;
}
