import {
  AMOUNT,
  ANYTHING,
  COUNT,
  checkArgument,
  checkOptions,
  either,
  FLAG,
  type Kind,
  type KindsOf,
  NAME,
  OBJECT,
  oneOf,
  TEXT,
} from '../check-options.ts';
import type { ResultFields } from './script-data.ts';
import type {
  AgentTask,
  ApiErrorScript,
  ApiRetryScript,
  BackgroundScript,
  Pace,
  RateLimitScript,
  ToolScript,
} from './turn.ts';

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
