import {
  AMOUNT,
  ANYTHING,
  COUNT,
  either,
  FLAG,
  type Kind,
  type KindsOf,
  NAME,
  OBJECT,
  oneOf,
  TEXT,
} from '@coxswain/shared/option-kinds';
import { checkArgument, checkOptions } from '../check-options.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { BackgroundStep, ResultFields, ToolPermission } from './script-data.ts';

/** The outcome of a tool call. */
export interface ToolScript {
  /** The content that the model receives. Default: the usual output of the tool. */
  readonly result?: string | readonly JsonObject[];
  /** The structured outcome (`tool_use_result`). Default: derived from the tool and its result. */
  readonly output?: JsonValue;
  readonly isError?: boolean;
  readonly durationMs?: number;
  readonly permission?: ToolPermission;
  /** The question of the tool's MCP server to the user before it answers; the tool's name determines the server. */
  readonly elicits?: { readonly message: string; readonly schema?: JsonObject };
}

/** How a text is streamed. */
export interface Pace {
  /** Milliseconds between the pieces (words). */
  readonly everyMs?: number;
}

/** The task of a subagent. */
export interface AgentTask {
  readonly description: string;
  readonly prompt: string;
  /** The kind of agent. Default: `general-purpose`. */
  readonly type?: string;
}

/** Options of a background command. */
export interface BackgroundScript {
  readonly runsMs?: number;
  readonly status?: BackgroundStep['status'];
  readonly permission?: ToolPermission;
}

/** Options of API retries. */
export interface ApiRetryScript {
  /** Number of API failures, with one `system/api_retry` each. */
  readonly attempts?: number;
  /** The delay before each new attempt that the CLI reports. */
  readonly delayMs?: number;
  /** The actual delay. Default: the reported one. */
  readonly waitMs?: number;
  /** Number of attempts after which it would give up. Default: 10. */
  readonly maxRetries?: number;
}

/** The state of one of the account's rate limits. */
export interface RateLimitScript {
  /** The end of the limit: a date, or milliseconds since 1970. */
  readonly resetsAt?: Date | number;
  /** The kind of limit, such as `five_hour` or `seven_day`. */
  readonly type?: string;
  /** The used part of the limit, from 0 to 1. */
  readonly utilization?: number;
}

/** Options of an API error. */
export interface ApiErrorScript {
  /** The text for the user. Default: the CLI's own text for that status. */
  readonly message?: string;
  /** Number of retries before the error (`system/api_retry`). */
  readonly retries?: number;
  readonly retryDelayMs?: number;
}

/** Checks the options of a step. @throws OptionsError for unknown fields, or fields of the wrong kind */
export function checkStep<Name extends keyof StepOptions>(name: Name, options: StepOptions[Name]): void {
  checkOptions(`${name}()`, options, KINDS[name]);
}

/** Checks a tool call. @throws OptionsError */
export function checkCall(call: ToolScript & { readonly name: string; readonly input: object }): void {
  checkArgument('useTool(name)', call.name, NAME);
  checkArgument(`useTool('${call.name}', input)`, call.input, OBJECT);
  checkOptions(`useTool('${call.name}')`, call, { ...TOOL, name: NAME, input: OBJECT });
  if (call.elicits) checkOptions(`useTool('${call.name}').elicits`, call.elicits, { message: TEXT, schema: OBJECT });
}

/** The options of the steps, by the names of their methods. */
interface StepOptions {
  readonly think: Pace & { readonly signature?: string };
  readonly say: Pace;
  readonly useAgent: AgentTask;
  readonly runAgentInBackground: AgentTask;
  readonly runInBackground: BackgroundScript;
  readonly apiRetry: ApiRetryScript;
  readonly rateLimitEvent: RateLimitScript;
  readonly rateLimited: RateLimitScript & { readonly message?: string };
  readonly compact: { readonly summary?: string };
  readonly result: ResultFields;
  readonly apiError: ApiErrorScript;
  readonly crash: { readonly signal?: NodeJS.Signals };
}

const LIST: Kind = { is: Array.isArray, what: 'an array' };
const DATE: Kind = { is: (value) => value instanceof Date, what: 'a date' };

const TOOL: KindsOf<Required<ToolScript>> = {
  result: either(TEXT, LIST),
  output: ANYTHING,
  isError: FLAG,
  durationMs: AMOUNT,
  permission: oneOf('auto', 'allow', 'ask', 'deny'),
  elicits: OBJECT,
};
const TASK: KindsOf<Required<AgentTask>> = { description: TEXT, prompt: TEXT, type: NAME };
const LIMIT: KindsOf<Required<RateLimitScript>> = { resetsAt: either(DATE, AMOUNT), type: NAME, utilization: AMOUNT };

const KINDS: { readonly [Name in keyof StepOptions]: KindsOf<Required<StepOptions[Name]>> } = {
  think: { everyMs: AMOUNT, signature: TEXT },
  say: { everyMs: AMOUNT },
  useAgent: TASK,
  runAgentInBackground: TASK,
  runInBackground: { runsMs: AMOUNT, status: oneOf('completed', 'failed', 'stopped'), permission: TOOL.permission },
  apiRetry: { attempts: COUNT, delayMs: AMOUNT, waitMs: AMOUNT, maxRetries: AMOUNT },
  rateLimitEvent: LIMIT,
  rateLimited: { ...LIMIT, message: TEXT },
  compact: { summary: TEXT },
  result: {
    text: TEXT,
    costUsd: ANYTHING,
    durationMs: AMOUNT,
    inputTokens: AMOUNT,
    outputTokens: AMOUNT,
    isError: FLAG,
    subtype: NAME,
    fields: OBJECT,
  },
  apiError: { message: TEXT, retries: AMOUNT, retryDelayMs: AMOUNT },
  crash: { signal: NAME },
};
