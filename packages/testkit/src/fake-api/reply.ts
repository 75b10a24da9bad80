import { AMOUNT, COUNT, type KindsOf, NAME, OBJECT, TEXT } from '@coxswain/shared/option-kinds';
import { checkArgument, checkOptions } from '../check-options.ts';

/** One step of a reply: a content block, a pause, a fault or a property of the message. */
export type ReplyStep =
  | TextStep
  | ThinkingStep
  | { readonly type: 'redacted_thinking'; readonly data: string }
  | ToolUseStep
  | { readonly type: 'delay'; readonly ms: number }
  | { readonly type: 'until'; readonly promise: Promise<unknown> }
  | { readonly type: 'cut' }
  | { readonly type: 'stream_error'; readonly errorType: string; readonly message: string }
  | { readonly type: 'stop_reason'; readonly reason: StopReason }
  | { readonly type: 'usage'; readonly usage: Usage }
  | ApiErrorStep;

/** What the API answers to one request: one step, or several in order. */
export type Reply = ReplyStep | readonly ReplyStep[];

/** Why a message ended; any string is sent as it is. */
export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'refusal' | 'pause_turn' | (string & {});

/** Token counts of a message, in the API's own field names. */
export interface Usage {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly cache_creation_input_tokens?: number;
  readonly cache_read_input_tokens?: number;
}

/** How a block is cut into stream deltas: pieces of `chunkSize` characters, one every `everyMs`. */
export interface Pace {
  readonly chunkSize?: number;
  readonly everyMs?: number;
}

export interface TextStep extends Pace {
  readonly type: 'text';
  readonly text: string;
}

export interface ThinkingStep extends Pace {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

export interface ToolUseStep extends Pace {
  readonly type: 'tool_use';
  readonly name: string;
  readonly input: object;
  readonly id?: string;
}

export interface ApiErrorStep {
  readonly type: 'api_error';
  readonly status: number;
  readonly times: number;
  readonly errorType: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A text block. */
export function text(value: string, pace: Pace = {}): TextStep {
  checkArgument('text(value)', value, TEXT);
  checkOptions('text()', pace, PACE);
  return { type: 'text', text: value, ...pace };
}

/** A thinking block with its signature. */
export function thinking(value: string, options: Pace & { readonly signature?: string } = {}): ThinkingStep {
  checkArgument('thinking(value)', value, TEXT);
  checkOptions('thinking()', options, { ...PACE, signature: TEXT });
  return { type: 'thinking', thinking: value, signature: 'ZmFrZSBzaWduYXR1cmU=', ...options };
}

/** A thinking block whose content is hidden. */
export function redactedThinking(data = 'cmVkYWN0ZWQ='): ReplyStep {
  return { type: 'redacted_thinking', data };
}

/** A tool call; the id is made up unless given. */
export function toolUse(name: string, input: object, options: Pace & { readonly id?: string } = {}): ToolUseStep {
  checkArgument('toolUse(name)', name, NAME);
  checkArgument('toolUse(…, input)', input, OBJECT);
  checkOptions('toolUse()', options, { ...PACE, id: NAME });
  return { type: 'tool_use', name, input, ...options };
}

/** A pause; as the first step it also holds back the response's headers. */
export function delay(ms: number): ReplyStep {
  checkArgument('delay(ms)', ms, AMOUNT);
  return { type: 'delay', ms };
}

/** A pause until the promise settles: the test decides when the reply continues. */
export function until(promise: Promise<unknown>): ReplyStep {
  return { type: 'until', promise };
}

/** Ends the reply by closing the connection; a block right before it stays unfinished. */
export function cutMidStream(): ReplyStep {
  return { type: 'cut' };
}

/** Ends the stream with an `error` event; a block right before it stays unfinished. */
export function streamError(errorType = 'overloaded_error', message = 'Overloaded'): ReplyStep {
  return { type: 'stream_error', errorType, message };
}

/** The message's stop reason; left out it is `tool_use` after a tool call and `end_turn` otherwise. */
export function stopReason(reason: StopReason): ReplyStep {
  return { type: 'stop_reason', reason };
}

/** The message's token counts. */
export function usage(counts: Usage): ReplyStep {
  checkOptions('usage()', counts, USAGE);
  return { type: 'usage', usage: counts };
}

/** How the API fails. */
export interface ApiErrorOptions {
  readonly times?: number;
  readonly message?: string;
  readonly errorType?: string;
  readonly retryAfterSeconds?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP error instead of a message; in a list it answers `times` requests before the list continues (`Infinity`: all). */
export function apiError(status: number, options: ApiErrorOptions = {}): ApiErrorStep {
  checkArgument('apiError(status)', status, COUNT);
  checkOptions('apiError()', options, API_ERROR);
  const retryAfter =
    options.retryAfterSeconds === undefined ? {} : { 'retry-after': String(options.retryAfterSeconds) };
  return {
    type: 'api_error',
    status,
    times: options.times ?? 1,
    errorType: options.errorType ?? ERROR_TYPES[status] ?? 'api_error',
    message: options.message ?? `fake ${status}`,
    headers: { ...retryAfter, ...options.headers },
  };
}

const PACE: KindsOf<Required<Pace>> = { chunkSize: AMOUNT, everyMs: AMOUNT };

const USAGE: KindsOf<Required<Usage>> = {
  input_tokens: AMOUNT,
  output_tokens: AMOUNT,
  cache_creation_input_tokens: AMOUNT,
  cache_read_input_tokens: AMOUNT,
};

const API_ERROR: KindsOf<Required<ApiErrorOptions>> = {
  times: AMOUNT,
  message: TEXT,
  errorType: TEXT,
  retryAfterSeconds: AMOUNT,
  headers: OBJECT,
};

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  529: 'overloaded_error',
};
