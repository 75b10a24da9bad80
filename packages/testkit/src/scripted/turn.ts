import type { JsonObject, JsonValue } from '../json.ts';
import { apiFailure } from '../messages/api-failure.ts';
import type { Fault, Ignorable } from './fault-data.ts';
import { faults } from './faults.ts';
import type { EndStep, ResultFields, Step, SubagentStep, ToolCall } from './script-data.ts';
import {
  type AgentTask,
  type ApiErrorScript,
  type ApiRetryScript,
  type BackgroundScript,
  checkCall,
  checkStep,
  type Pace,
  type RateLimitScript,
  type ToolScript,
} from './step-options.ts';

/**
 * One turn of a scripted agent, in chronological order. A turn without an ending step gets an ordinary result. Steps after the
 * result are late.
 */
export class TurnScript {
  readonly #steps: Step[] = [];

  /** Writes a thinking block. */
  think(text: string, pace: Pace & { readonly signature?: string } = {}): this {
    checkStep('think', pace);
    const signature = pace.signature ?? 'c2NyaXB0ZWQ=';
    return this.#add({ step: 'think', text, signature, everyMs: pace.everyMs ?? null });
  }

  /** Writes a redacted thinking block. */
  thinkRedacted(data = 'c2NyaXB0ZWQ='): this {
    return this.#add({ step: 'redacted-thinking', data });
  }

  /** Writes a text block. */
  say(text: string, pace: Pace = {}): this {
    checkStep('say', pace);
    return this.#add({ step: 'say', text, everyMs: pace.everyMs ?? null });
  }

  /** Calls one tool and receives its result. */
  useTool(name: string, input: JsonObject, outcome: ToolScript = {}): this {
    return this.useTools([{ name, input, ...outcome }]);
  }

  /** Calls several tools in one message. */
  useTools(calls: readonly (ToolScript & { readonly name: string; readonly input: JsonObject })[]): this {
    return this.#add({ step: 'tools', calls: calls.map(toolCall) });
  }

  /** Plays these steps instead of the rest of the turn if one of the last tool calls was refused. */
  ifRefused(build: (turn: TurnScript) => TurnScript): this {
    return this.#add({ step: 'if-refused', steps: stepsOf(build) });
  }

  /** Starts a subagent and waits for it; `build` defines its steps. */
  useAgent(task: AgentTask, build: (subagent: TurnScript) => TurnScript): this {
    checkStep('useAgent', task);
    return this.#add({ ...subagent(task, build), background: false, after: null });
  }

  /** Starts a subagent and continues; after its end, `after` is played as a separate turn. */
  runAgentInBackground(
    task: AgentTask,
    build: (subagent: TurnScript) => TurnScript,
    after?: (turn: TurnScript) => TurnScript,
  ): this {
    checkStep('runAgentInBackground', task);
    return this.#add({ ...subagent(task, build), background: true, after: after ? stepsOf(after) : null });
  }

  /** Starts a background shell command; after its end, `after` is played as a separate turn with its own result. */
  runInBackground(command: string, how: BackgroundScript = {}, after?: (turn: TurnScript) => TurnScript): this {
    checkStep('runInBackground', how);
    const { runsMs = 0, status = 'completed', permission = 'auto' } = how;
    return this.#add({ step: 'background', command, runsMs, status, permission, after: after ? stepsOf(after) : null });
  }

  /** The API fails, the CLI retries and continues; the status `null` is a failed connection. */
  apiRetry(status: number | null, how: ApiRetryScript = {}): this {
    checkStep('apiRetry', how);
    const { attempts = 1, delayMs = 0, waitMs = delayMs, maxRetries = 10 } = how;
    return this.#add({ step: 'retry', status, attempts, delayMs, waitMs, maxRetries });
  }

  /** The CLI reports a rate limit of the account, and continues. */
  rateLimitEvent(status: 'allowed' | 'allowed_warning' | 'rejected', limit: RateLimitScript = {}): this {
    checkStep('rateLimitEvent', limit);
    return this.#add({ step: 'rate-limit', info: rateLimitInfo(status, limit) });
  }

  /** The account's rate limit is reached: a `rate_limit_event`, and a result with status 429. Ends the turn. */
  rateLimited(limit: RateLimitScript & { readonly message?: string } = {}): this {
    checkStep('rateLimited', limit);
    const { message = "You've hit your limit · scripted", ...rest } = limit;
    return this.rateLimitEvent('rejected', rest).apiError(429, { message });
  }

  /** Runs the host's hooks for an event that the script does not otherwise cause, such as `FileChanged`. */
  fireHook(event: string, input: JsonObject = {}): this {
    return this.#add({ step: 'hook', event, input });
  }

  /** The conversation has grown too long and is compacted; `/compact` does the same without a script. */
  compact(how: { readonly summary?: string } = {}): this {
    checkStep('compact', how);
    return this.#add({ step: 'compact', summary: how.summary ?? null });
  }

  /** Waits for a while. */
  wait(ms: number): this {
    return this.#add({ step: 'wait', ms });
  }

  /** Waits forever: the turn never ends. */
  silence(): this {
    return this.#add({ step: 'forever' });
  }

  /**
   * Ends the turn; `fields` overrides fields of the result, the others are computed. After another ending step, such as
   * `structuredOutput()`, it changes the result of that step: a turn has one result.
   */
  result(fields: ResultFields = {}): this {
    checkStep('result', fields);
    const at = this.#steps.findIndex(isEnd);
    const end = this.#steps[at];
    if (end === undefined || !isEnd(end)) return this.#add({ step: 'result', fields });
    this.#steps[at] = { ...end, fields: { ...end.fields, ...fields } };
    return this;
  }

  /** The API fails: a synthetic message and a result with `is_error`. */
  apiError(status: number, how: ApiErrorScript = {}): this {
    checkStep('apiError', how);
    if (how.retries !== undefined) {
      const { retries, retryDelayMs = 0 } = how;
      this.apiRetry(status, { attempts: retries, maxRetries: retries, delayMs: retryDelayMs });
    }
    const { error, text } = apiFailure(status, 'scripted');
    return this.#end({ step: 'api-error', status, error, text: how.message ?? text, fields: {} });
  }

  /** The user is not logged in. */
  notLoggedIn(): this {
    const { error, text } = apiFailure(null, '');
    return this.#end({ step: 'api-error', status: null, error, text, fields: {} });
  }

  /** The turn limit is reached. */
  maxTurns(limit = 1): this {
    return this.#end({ step: 'max-turns', limit, fields: {} });
  }

  /** The budget is spent. */
  maxBudget(limitUsd = 0.01): this {
    return this.#end({ step: 'max-budget', limitUsd, fields: {} });
  }

  /** Returns a structured output that does not match the schema: the CLI rejects it with the reason, and the model retries. */
  rejectedOutput(value: JsonValue, problem: string, times = 1): this {
    for (let n = 0; n < times; n += 1) this.#add({ step: 'rejected-output', value, problem });
    return this;
  }

  /** Returns a matching structured output, and ends the turn with it. */
  structuredOutput(value: JsonValue): this {
    return this.#end({ step: 'structured-output', value, fields: {} });
  }

  /** Ends the turn because too many outputs were rejected; the CLI gives up after five. */
  structuredOutputFails(): this {
    return this.#end({ step: 'structured-output-fails', fields: {} });
  }

  /** Ends the turn with `error_during_execution`. */
  fail(...errors: string[]): this {
    return this.#end({ step: 'fail', errors, fields: {} });
  }

  /** A fault at this point of the turn. */
  fault(fault: Fault): this {
    return this.#add({ step: 'fault', fault });
  }

  /** Sends any message; adds a missing session id and uuid. */
  message(message: JsonObject & { readonly type: string }): this {
    return this.fault(faults.unknownMessage(message));
  }

  /** Writes a line to stdout unchanged. */
  line(text: string): this {
    return this.fault(faults.garbage(text));
  }

  /** Writes text to stdout without a line feed. */
  unfinishedLine(text: string): this {
    return this.fault(faults.partialLine(text));
  }

  /** Writes bytes to stdout unchanged. */
  bytes(bytes: Uint8Array): this {
    return this.fault({ fault: 'bytes', base64: Buffer.from(bytes).toString('base64') });
  }

  /** Writes to stderr. */
  stderr(text: string): this {
    return this.fault(faults.stderr(text));
  }

  /** Writes `count` messages of about `bytes` bytes each, as fast as the pipe accepts them. */
  flood(count: number, bytes = 900): this {
    return this.fault(faults.flood(count, { bytes }));
  }

  /** Writes a line that does not end; without `bytes` it never stops. */
  endlessLine(bytes?: number): this {
    return this.fault(faults.endlessLine(bytes === undefined ? {} : { bytes }));
  }

  /** From here on, ignores signals, the end of its input, or control requests. */
  ignore(...what: Ignorable[]): this {
    return this.fault(faults.ignore(...what));
  }

  /** Leaves a process that holds stdout and stderr open for a while. */
  holdPipe(ms: number): this {
    return this.fault(faults.holdPipe(ms));
  }

  /** Closes stdout and keeps running. */
  closeStdout(): this {
    return this.fault(faults.close('stdout'));
  }

  /** Exits immediately with this code; before a result, without one. */
  exit(code = 0): this {
    return this.fault(faults.exit(code));
  }

  /** Dies of a signal, after earlier output is written. */
  crash(how: { readonly signal?: NodeJS.Signals } = {}): this {
    checkStep('crash', how);
    return this.fault(faults.crash(how.signal));
  }

  /** The steps so far, as plain JSON. */
  toJSON(): readonly Step[] {
    return this.#steps;
  }

  #add(step: Step): this {
    this.#steps.push(step);
    return this;
  }

  #end(step: EndStep): this {
    const earlier = this.#steps.find(isEnd);
    if (earlier !== undefined) {
      throw new TypeError(
        `This turn already ends with "${earlier.step}", so it cannot end with "${step.step}" as well. Leave one of them out; set the content of its result with result() after it.`,
      );
    }
    return this.#add(step);
  }
}

const ENDS: Readonly<Record<EndStep['step'], true>> = {
  result: true,
  'api-error': true,
  'max-turns': true,
  'max-budget': true,
  'structured-output': true,
  'structured-output-fails': true,
  fail: true,
};

function isEnd(step: Step): step is EndStep {
  return Object.hasOwn(ENDS, step.step);
}

/** The steps built by a callback. */
export function stepsOf(build: (turn: TurnScript) => TurnScript): readonly Step[] {
  const turn = build(new TurnScript());
  if (turn instanceof TurnScript) return turn.toJSON();
  throw new TypeError('The function that writes a turn must return the turn: (turn) => turn.say(…).');
}

function subagent(
  task: AgentTask,
  build: (subagent: TurnScript) => TurnScript,
): Omit<SubagentStep, 'background' | 'after'> {
  const { description, prompt, type = 'general-purpose' } = task;
  return { step: 'subagent', description, prompt, agentType: type, steps: stepsOf(build) };
}

function toolCall(call: ToolScript & { readonly name: string; readonly input: JsonObject }): ToolCall {
  checkCall(call);
  return {
    name: call.name,
    input: call.input,
    result: call.result ?? null,
    output: call.output ?? null,
    isError: call.isError ?? false,
    durationMs: call.durationMs ?? 0,
    permission: call.permission ?? 'auto',
    elicits: call.elicits ? { schema: { type: 'object', properties: {} }, ...call.elicits } : null,
  };
}

/** The wire uses seconds. */
function rateLimitInfo(status: string, { resetsAt, type = 'five_hour', utilization }: RateLimitScript): JsonObject {
  return {
    status,
    ...(resetsAt !== undefined && { resetsAt: Math.round(Number(resetsAt) / 1000) }),
    rateLimitType: type,
    ...(utilization !== undefined && { utilization }),
  };
}
