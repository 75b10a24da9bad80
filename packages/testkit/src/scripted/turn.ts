import type {
  BackgroundStep,
  Ignorable,
  JsonObject,
  JsonValue,
  RejectedOutput,
  ResultFields,
  Step,
  ToolCall,
  ToolPermission,
} from './script-data.ts';

/** What comes of a tool call. */
export interface ToolScript {
  /** What the model is told. Left out: what the tool itself would say. */
  readonly result?: string | readonly JsonObject[];
  /** The structured outcome (`tool_use_result`). Left out: derived from the tool and its result. */
  readonly output?: JsonValue;
  readonly isError?: boolean;
  readonly durationMs?: number;
  readonly permission?: ToolPermission;
}

/** How a text comes. */
export interface Pace {
  /** Milliseconds between the pieces (words). */
  readonly everyMs?: number;
}

/** How a background command goes. */
export interface BackgroundScript {
  readonly runsMs?: number;
  readonly status?: BackgroundStep['status'];
}

/** What the API answers instead of a message. */
export interface ApiErrorScript {
  /** The text the user sees; by default the CLI's own for that status. */
  readonly message?: string;
  /** How often the CLI tries again first (`system/api_retry`). */
  readonly retries?: number;
  readonly retryDelayMs?: number;
}

/**
 * One turn of a scripted agent, written in the order things happen. A turn that ends in none of the ending steps
 * gets an ordinary result. Steps after the result come late, after it.
 */
export class TurnScript {
  readonly #steps: Step[] = [];

  /** Thinks aloud: a thinking block. */
  think(text: string, pace: Pace & { readonly signature?: string } = {}): this {
    const signature = pace.signature ?? 'c2NyaXB0ZWQ=';
    return this.#add({ step: 'think', text, signature, everyMs: pace.everyMs ?? null });
  }

  /** Thinks in secret: a redacted thinking block. */
  thinkRedacted(data = 'c2NyaXB0ZWQ='): this {
    return this.#add({ step: 'redacted-thinking', data });
  }

  /** Says something: a text block. */
  say(text: string, pace: Pace = {}): this {
    return this.#add({ step: 'say', text, everyMs: pace.everyMs ?? null });
  }

  /** Calls one tool and takes its result. */
  useTool(name: string, input: JsonObject, outcome: ToolScript = {}): this {
    return this.useTools([{ name, input, ...outcome }]);
  }

  /** Calls several tools in one message. */
  useTools(calls: readonly (ToolScript & { readonly name: string; readonly input: JsonObject })[]): this {
    return this.#add({ step: 'tools', calls: calls.map(toolCall) });
  }

  /** Hands work to a subagent and waits for it; `build` writes what the subagent does. */
  useAgent(
    task: { readonly description: string; readonly prompt: string; readonly type?: string },
    build: (subagent: TurnScript) => TurnScript,
  ): this {
    const { description, prompt, type = 'general-purpose' } = task;
    return this.#add({ step: 'subagent', description, prompt, agentType: type, steps: stepsOf(build) });
  }

  /** Leaves a shell command running; when it ends, `after` is played as a turn of its own with its own result. */
  runInBackground(command: string, how: BackgroundScript = {}, after?: (turn: TurnScript) => TurnScript): this {
    const { runsMs = 0, status = 'completed' } = how;
    return this.#add({ step: 'background', command, runsMs, status, after: after ? stepsOf(after) : null });
  }

  /** The API fails and the CLI tries again, then goes on. */
  retry(status: number | null, how: { readonly attempts?: number; readonly delayMs?: number } = {}): this {
    return this.#add({ step: 'retry', status, attempts: how.attempts ?? 1, delayMs: how.delayMs ?? 0 });
  }

  /** Does nothing for a while. */
  wait(ms: number): this {
    return this.#add({ step: 'wait', ms });
  }

  /** Does nothing for ever: the turn never ends. */
  silence(): this {
    return this.#add({ step: 'forever' });
  }

  /** Ends the turn; `fields` says what the result should say, the rest is worked out. */
  result(fields: ResultFields = {}): this {
    return this.#add({ step: 'result', fields });
  }

  /** The API refuses: a synthetic message and a result with `is_error`. */
  apiError(status: number, how: ApiErrorScript = {}): this {
    if (how.retries !== undefined) {
      this.retry(status, { attempts: how.retries, delayMs: how.retryDelayMs ?? 0 });
    }
    const [error, text] = apiErrorText(status);
    return this.#add({ step: 'api-error', status, error, text: how.message ?? text });
  }

  /** Nobody is logged in. */
  notLoggedIn(): this {
    const text = 'Not logged in · Please run /login';
    return this.#add({ step: 'api-error', status: null, error: 'authentication_failed', text });
  }

  /** The turn limit is reached. */
  maxTurns(limit = 1): this {
    return this.#add({ step: 'max-turns', limit });
  }

  /** The budget is spent. */
  maxBudget(limitUsd = 0.01): this {
    return this.#add({ step: 'max-budget', limitUsd });
  }

  /** Gives a structured output and ends the turn; `rejected` are attempts the schema check refused before. */
  structuredOutput(value: JsonValue, rejected: readonly RejectedOutput[] = []): this {
    return this.#add({ step: 'structured-output', value, rejected });
  }

  /** Never gives a structured output that fits, and ends the turn with the retries spent. */
  structuredOutputFails(rejected: RejectedOutput, attempts = 5): this {
    return this.#add({ step: 'structured-output-fails', rejected: Array.from({ length: attempts }, () => rejected) });
  }

  /** Ends the turn with `error_during_execution`. */
  fail(...errors: string[]): this {
    return this.#add({ step: 'fail', errors });
  }

  /** Sends any message; session id and uuid are filled in where they are missing. */
  message(message: JsonObject & { readonly type: string }): this {
    return this.#add({ step: 'message', message });
  }

  /** Writes a line to stdout exactly as it stands. */
  line(text: string): this {
    return this.#add({ step: 'text', text: `${text}\n` });
  }

  /** Writes text to stdout without a line end. */
  unfinishedLine(text: string): this {
    return this.#add({ step: 'text', text });
  }

  /** Writes bytes to stdout exactly as they stand. */
  bytes(bytes: Uint8Array): this {
    return this.#add({ step: 'bytes', base64: Buffer.from(bytes).toString('base64') });
  }

  /** Writes to stderr. */
  stderr(text: string): this {
    return this.#add({ step: 'stderr', text });
  }

  /** Writes `count` messages of about `bytes` bytes each, as fast as the pipe takes them. */
  flood(count: number, bytes = 900): this {
    return this.#add({ step: 'flood', count, bytes });
  }

  /** Writes a line that does not end; without `bytes` it never stops. */
  endlessLine(bytes?: number): this {
    return this.#add({ step: 'endless-line', bytes: bytes ?? null });
  }

  /** From here on ignores signals, the end of its input, or control requests. */
  ignore(...what: Ignorable[]): this {
    return this.#add({ step: 'ignore', what });
  }

  /** Leaves a process behind that holds stdout and stderr open for a while. */
  holdPipe(ms: number): this {
    return this.#add({ step: 'hold-pipe', ms });
  }

  /** Closes stdout and lives on. */
  closeStdout(): this {
    return this.#add({ step: 'close-stdout' });
  }

  /** Leaves at once with this code; before a result, without one. */
  exit(code = 0): this {
    return this.#add({ step: 'exit', code });
  }

  /** Dies of a signal. */
  crash(signal: NodeJS.Signals = 'SIGKILL'): this {
    return this.#add({ step: 'crash', signal });
  }

  /** The steps so far, as plain JSON. */
  toJSON(): readonly Step[] {
    return this.#steps;
  }

  #add(step: Step): this {
    this.#steps.push(step);
    return this;
  }
}

/** The steps a turn's author wrote. */
export function stepsOf(build: (turn: TurnScript) => TurnScript): readonly Step[] {
  return build(new TurnScript()).toJSON();
}

function toolCall(call: ToolScript & { readonly name: string; readonly input: JsonObject }): ToolCall {
  return {
    name: call.name,
    input: call.input,
    result: call.result ?? null,
    output: call.output ?? null,
    isError: call.isError ?? false,
    durationMs: call.durationMs ?? 0,
    permission: call.permission ?? 'auto',
  };
}

/** The CLI's own words and error kind for a status, as 2.1.325 says them. */
function apiErrorText(status: number): readonly [error: string, text: string] {
  if (status === 401) return ['authentication_failed', 'Invalid API key · Fix external API key'];
  if (status === 429) return ['rate_limit', 'API Error: Request rejected (429) · scripted'];
  if (status === 529) return ['overloaded', 'API Error: 529 scripted'];
  if (status >= 500) return ['server_error', `API Error: ${status} scripted`];
  return ['unknown', `API Error: ${status} scripted`];
}
