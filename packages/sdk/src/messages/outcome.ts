import { isJsonObject } from '../wire/kinds.ts';
import type { DeferredToolUse, RateLimitEventMessage, ResultMessage } from '../wire/messages.ts';
import { type ApiErrorOutcome, apiFailure, limitEvents, type RateLimitOutcome } from './api-failure.ts';
import { amountField, arrayField, field, numberField, stringField } from './fields.ts';

/** The CLI's message if it cannot find the conversation to resume. */
export const NO_CONVERSATION = 'No conversation found';

/** How a turn ended, discriminated by `kind`. `message` is the CLI's text about it, or empty. */
export type Outcome =
  | { readonly kind: 'completed'; readonly text: string; readonly structuredOutput: unknown }
  | { readonly kind: 'max-turns'; readonly turns: number | undefined; readonly message: string }
  | { readonly kind: 'budget'; readonly totalCostUsd: number | undefined; readonly message: string }
  | { readonly kind: 'interrupted'; readonly during: 'streaming' | 'tools'; readonly message: string }
  | { readonly kind: 'stopped-by-hook'; readonly at: 'prompt' | 'tool' | 'stop'; readonly message: string }
  | { readonly kind: 'deferred'; readonly toolUse: DeferredToolUse | undefined; readonly message: string }
  /** The tool of a deferred or parked call is missing, for example because its MCP server did not start. */
  | { readonly kind: 'tool-unavailable'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'context-full'; readonly message: string }
  | { readonly kind: 'no-such-session'; readonly message: string }
  | { readonly kind: 'auth'; readonly status: number | undefined; readonly message: string }
  | RateLimitOutcome
  | ApiErrorOutcome
  | { readonly kind: 'structured-output'; readonly message: string }
  | { readonly kind: 'execution-error'; readonly errors: readonly string[]; readonly message: string }
  | { readonly kind: 'unknown'; readonly subtype: string | undefined; readonly message: string };

/** Additional information about a turn. */
export interface OutcomeContext {
  /**
   * The last `rate_limit_event`, which contains the reset time. Needed only for a result that this process did not receive
   * itself, such as one read from a file.
   */
  readonly rateLimit?: RateLimitEventMessage | undefined;
}

/** How a turn ended. Never throws; the outcome of an unrecognized result is `unknown`. */
export function outcomeOf(result: ResultMessage, context: OutcomeContext = {}): Outcome {
  const subtype = stringField(result, 'subtype');
  const errors = arrayField(result, 'errors')
    .filter((error) => typeof error === 'string')
    // The CLI's internal diagnostics.
    .filter((error) => error !== '' && !error.startsWith('[ede_diagnostic]'));
  const message = subtype === 'success' ? (stringField(result, 'result') ?? '') : errors.join('\n');
  if (field(result, 'stop_reason') === 'tool_deferred_unavailable') return { kind: 'tool-unavailable', message };
  switch (subtype) {
    case 'error_max_turns':
      return { kind: 'max-turns', turns: numberField(result, 'num_turns'), message };
    case 'error_max_budget_usd':
      return { kind: 'budget', totalCostUsd: amountField(result, 'total_cost_usd'), message };
    case 'error_max_structured_output_retries':
      return { kind: 'structured-output', message };
  }
  switch (field(result, 'terminal_reason')) {
    case 'aborted_streaming':
      return { kind: 'interrupted', during: 'streaming', message };
    case 'aborted_tools':
      return { kind: 'interrupted', during: 'tools', message };
    case 'hook_stopped':
      return { kind: 'stopped-by-hook', at: 'tool', message };
    case 'stop_hook_prevented':
      return { kind: 'stopped-by-hook', at: 'stop', message };
    case 'tool_deferred':
      return { kind: 'deferred', toolUse: deferredToolUse(result), message };
    case 'prompt_too_long':
    case 'blocking_limit':
    case 'rapid_refill_breaker':
      return { kind: 'context-full', message };
  }
  if (subtype === 'error_during_execution') {
    return NO_SESSION.test(message)
      ? { kind: 'no-such-session', message }
      : { kind: 'execution-error', errors, message };
  }
  if (subtype !== 'success') return { kind: 'unknown', subtype, message };
  const stopReason = field(result, 'stop_reason');
  if (stopReason === 'refusal') return { kind: 'refused', message };
  if (stopReason === 'tool_deferred') return { kind: 'deferred', toolUse: deferredToolUse(result), message };
  if (field(result, 'is_error') === true) {
    return apiFailure(result, message, context.rateLimit ?? limitEvents.get(result));
  }
  if (promptWasStopped(result, message)) return { kind: 'stopped-by-hook', at: 'prompt', message };
  return { kind: 'completed', text: message, structuredOutput: field(result, 'structured_output') };
}

const NO_SESSION = new RegExp(`^(?:Error: )?(?:${NO_CONVERSATION}|--resume requires a valid session)`);

function deferredToolUse(result: unknown): DeferredToolUse | undefined {
  const deferred = field(result, 'deferred_tool_use');
  const id = stringField(deferred, 'id');
  const name = stringField(deferred, 'name');
  const input = field(deferred, 'input');
  return id !== undefined && name !== undefined && isJsonObject(input) ? { id, name, input } : undefined;
}

/** Decided by the text: such a result has no terminal reason, and its text is not from the model, which never ran. */
function promptWasStopped(result: unknown, message: string): boolean {
  return (
    numberField(result, 'num_turns') === 0 &&
    field(result, 'terminal_reason') === undefined &&
    /^(?:Operation stopped by hook: |UserPromptSubmit operation blocked by hook:)/.test(message)
  );
}
