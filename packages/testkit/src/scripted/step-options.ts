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
  /** What the model receives. Default: what the tool itself would return. */
  readonly result?: string | readonly JsonObject[];
  /** The structured outcome (`tool_use_result`). Default: derived from the tool and its result. */
  readonly output?: JsonValue;
  readonly isError?: boolean;
  readonly durationMs?: number;
  readonly permission?: ToolPermission;
  /** What the tool's MCP server asks the user before it answers; the tool's name determines the server. */
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
  /** The kind of agent; `general-purpose` by default. */
  readonly type?: string;
}

/** Options of a background command. */
export interface BackgroundScript {
  readonly runsMs?: number;
  readonly status?: BackgroundStep['status'];
  readonly permission?: ToolPermission;
}

/** How the CLI retries the API. */
export interface ApiRetryScript {
  /** How often the API fails, one `system/api_retry` each. */
  readonly attempts?: number;
  /** How long the CLI reports it will wait before each new attempt. */
  readonly delayMs?: number;
  /** How long it really waits; by default as long as it reports. */
  readonly waitMs?: number;
  /** After how many attempts it would give up; 10 by default. */
  readonly maxRetries?: number;
}

/** The state of one of the account's rate limits. */
export interface RateLimitScript {
  /** When the limit is lifted: a date, or milliseconds since 1970. */
  readonly resetsAt?: Date | number;
  /** Which limit it is, such as `five_hour` or `seven_day`. */
  readonly type?: string;
  /** How much of the limit is used, from 0 to 1. */
  readonly utilization?: number;
}

/** What the API answers instead of a message. */
export interface ApiErrorScript {
  /** The text the user sees; by default the CLI's own for that status. */
  readonly message?: string;
  /** How often the CLI tries again first (`system/api_retry`). */
  readonly retries?: number;
  readonly retryDelayMs?: number;
}

/** Checks what a step of a turn is given. @throws OptionsError for fields that do not exist, or are of the wrong kind */
export function checkStep<Name extends keyof StepOptions>(name: Name, options: StepOptions[Name]): void {
  checkOptions(`${name}()`, options, KINDS[name]);
}

/** Checks the call of a tool. @throws OptionsError */
export function checkCall(call: ToolScript & { readonly name: string; readonly input: object }): void {
  checkArgument('useTool(name)', call.name, NAME);
  checkArgument(`useTool('${call.name}', input)`, call.input, OBJECT);
  checkOptions(`useTool('${call.name}')`, call, { ...TOOL, name: NAME, input: OBJECT });
  if (call.elicits) checkOptions(`useTool('${call.name}').elicits`, call.elicits, { message: TEXT, schema: OBJECT });
}

/** What the steps of a turn are given, by the names of their methods. */
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
