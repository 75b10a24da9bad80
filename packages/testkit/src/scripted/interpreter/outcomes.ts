import type { EndStep, RejectedOutput, Step, ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { endTurn } from './endings.ts';
import { syntheticFrame, userFrame } from './frames/messages.ts';
import { fireHooks, tellFailures, tellNotes } from './hooks.ts';
import { ruleFor } from './rules.ts';
import { closeMessage, speakToolUse } from './speech.ts';
import type { Program } from './tasks.ts';
import { endOutOfTurns, endOverBudget, type Flow, toolRound } from './tool-round.ts';
import { runTools } from './tool-use.ts';
import type { Turn } from './turn.ts';

/** Ends a turn that has said all it had to say; a Stop hook may send it on, with further steps to play. */
export function* endNaturally(conversation: Conversation, turn: Turn): Program<readonly Step[] | undefined> {
  closeMessage(conversation, turn, 'end_turn');
  const stop = yield* askStopHooks(conversation, turn);
  if (stop.more) return stop.more;
  const terminalReason = stop.prevented ? 'stop_hook_prevented' : 'completed';
  endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason, text: turn.lastText });
  return undefined;
}

/** Ends a turn the way its script says. Steps after it still happen: they come late. */
export function* endAsScripted(conversation: Conversation, turn: Turn, step: EndStep): Program<Flow> {
  switch (step.step) {
    case 'result': {
      closeMessage(conversation, turn, 'end_turn');
      yield* askStopHooks(conversation, turn);
      const text = turn.lastText;
      endTurn(
        conversation,
        turn,
        { subtype: 'success', isError: false, terminalReason: 'completed', text },
        step.fields,
      );
      return 'on';
    }
    case 'api-error':
      endApiError(conversation, turn, step);
      return 'on';
    case 'max-turns':
      closeMessage(conversation, turn, 'tool_use');
      endOutOfTurns(conversation, turn, step.limit);
      return 'on';
    case 'max-budget':
      closeMessage(conversation, turn, 'tool_use');
      endOverBudget(conversation, turn, step.limitUsd);
      return 'on';
    case 'fail': {
      closeMessage(conversation, turn, 'end_turn');
      const terminalReason = 'completed';
      endTurn(conversation, turn, {
        subtype: 'error_during_execution',
        isError: true,
        terminalReason,
        errors: step.errors,
      });
      return 'on';
    }
    default:
      return yield* structuredOutput(conversation, turn, step);
  }
}

function* askStopHooks(
  conversation: Conversation,
  turn: Turn,
): Program<{ readonly prevented: boolean; readonly more?: readonly Step[] }> {
  if (conversation.inputEnded) return { prevented: false };
  const verdict = yield* fireHooks(conversation, turn, 'Stop', {
    input: {
      stop_hook_active: turn.stopHookActive,
      last_assistant_message: turn.lastText,
      background_tasks: [...conversation.background.values()],
      session_crons: [],
    },
  });
  tellFailures(conversation, verdict);
  tellNotes(conversation, verdict, 'Stop');
  if (verdict.stop !== undefined || verdict.deny === undefined) return { prevented: verdict.stop !== undefined };
  const text = `Stop hook feedback:\n${verdict.deny}`;
  turn.userMessages += 1;
  turn.stopHookActive = true;
  conversation.write(userFrame(conversation, turn, [{ type: 'text', text }], { isSynthetic: true }));
  return {
    prevented: false,
    more: ruleFor(conversation, text)?.steps ?? [{ step: 'say', text: 'Very well.', everyMs: 0 }],
  };
}

function endApiError(conversation: Conversation, turn: Turn, step: Extract<EndStep, { step: 'api-error' }>): void {
  const { status, error, text } = step;
  const type = status === null ? undefined : errorType(status);
  const cause =
    status === null ? {} : { request_id: 'req_scripted_error', api_error_status: status, api_error_type: type };
  turn.stopReason = 'stop_sequence';
  conversation.write(syntheticFrame(conversation, turn, text, { error, ...cause }));
  turn.announced = true;
  const apiError = { status, type };
  endTurn(conversation, turn, { subtype: 'success', isError: true, terminalReason: 'api_error', text, apiError });
}

function errorType(status: number): string {
  const known: Readonly<Record<number, string>> = {
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  };
  return known[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
}

function* structuredOutput(
  conversation: Conversation,
  turn: Turn,
  step: Extract<EndStep, { rejected: readonly RejectedOutput[] }>,
): Program<Flow> {
  for (const rejected of step.rejected) {
    const result = `Output does not match required schema: ${rejected.problem}`;
    if ((yield* attempt(conversation, turn, { value: rejected.value, result, isError: true })) === 'cut') return 'cut';
  }
  if (step.step === 'structured-output-fails') {
    const problem = `Output does not match required schema: ${step.rejected.at(-1)?.problem}`;
    endTurn(conversation, turn, {
      subtype: 'error_max_structured_output_retries',
      isError: true,
      terminalReason: 'structured_output_retry_exhausted',
      errors: [
        `Failed to provide valid structured output after ${step.rejected.length} attempts — last StructuredOutput error: ${problem}`,
      ],
    });
    return 'on';
  }
  const result = 'Structured output provided successfully';
  if ((yield* attempt(conversation, turn, { value: step.value, result, isError: false })) === 'cut') return 'cut';
  const text = JSON.stringify(step.value);
  const structured = { text, structuredOutput: step.value };
  endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason: 'completed', ...structured });
  return 'on';
}

function* attempt(
  conversation: Conversation,
  turn: Turn,
  what: Pick<ToolCall, 'isError'> & { readonly value: RejectedOutput['value']; readonly result: string },
): Program<Flow> {
  const { value, result, isError } = what;
  // The tool takes an object; other values travel in one, as the CLI's own tool does it.
  const input = typeof value === 'object' && value !== null && !('length' in value) ? value : { value };
  const call: ToolCall = {
    name: 'StructuredOutput',
    input,
    result,
    output: null,
    isError,
    durationMs: 0,
    permission: 'allow',
  };
  const id = speakToolUse(conversation, turn, call);
  return yield* toolRound(conversation, turn, () => runTools(conversation, turn, [{ call, id }]));
}
