import { apiFailure } from '../../messages/api-failure.ts';
import type { EndStep, Step } from '../script-data.ts';
import { endOverBudget, endsOverBudget } from './budget.ts';
import type { Conversation } from './conversation.ts';
import { endTurn } from './endings.ts';
import { syntheticFrame, userFrame } from './frames/messages.ts';
import { fireHooks, tellFailures, tellNotes } from './hooks.ts';
import { replayPrompts } from './replay.ts';
import { ruleFor } from './rules.ts';
import { closeMessage } from './speech.ts';
import { giveOutput, giveUpOutput, missingOutput } from './structured-output.ts';
import type { Program } from './tasks.ts';
import { endOutOfTurns, type Flow } from './tool-round.ts';
import type { Turn } from './turn.ts';

/** Ends a turn that has played all its steps; a Stop hook may continue it, with further steps. */
export function* endNaturally(conversation: Conversation, turn: Turn): Program<readonly Step[] | undefined> {
  replayPrompts(conversation, turn);
  closeMessage(conversation, turn, 'end_turn');
  if (endsOverBudget(conversation, turn)) return undefined;
  const missing = missingOutput(conversation, turn);
  if (missing) return missing;
  const stop = yield* askStopHooks(conversation, turn);
  if (stop.more) return stop.more;
  const terminalReason = stop.prevented ? 'stop_hook_prevented' : 'completed';
  endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason, text: turn.lastText });
  return undefined;
}

/** Ends a turn the way its script says. Steps after it still run: they come late. */
export function* endAsScripted(conversation: Conversation, turn: Turn, step: EndStep): Program<Flow> {
  // The script of a prompt that joined the turn has ended it already.
  if (turn.resultSent) return 'on';
  turn.resultFields = step.fields;
  replayPrompts(conversation, turn);
  switch (step.step) {
    case 'result': {
      closeMessage(conversation, turn, 'end_turn');
      if (endsOverBudget(conversation, turn, step.fields)) return 'on';
      yield* askStopHooks(conversation, turn);
      const text = turn.lastText;
      endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason: 'completed', text });
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
    case 'structured-output':
      return yield* giveOutput(conversation, turn, step.value);
    case 'structured-output-fails':
      giveUpOutput(conversation, turn);
      return 'on';
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
      background_tasks: [...conversation.background.values()].map(({ listed }) => listed),
      session_crons: [],
    },
  });
  tellFailures(conversation, verdict);
  tellNotes(conversation, verdict, 'Stop');
  const feedback = verdict.deny ?? verdict.context;
  if (verdict.stop !== undefined || feedback === undefined) return { prevented: verdict.stop !== undefined };
  const text = `Stop hook feedback:\n${feedback}`;
  turn.userMessages += 1;
  turn.stopHookActive = true;
  conversation.write(userFrame(conversation, turn, [{ type: 'text', text }], { isSynthetic: true }));
  const notice = { key: 'stop-hook-error', text: 'Stop hook error occurred · ctrl+o to see', priority: 'immediate' };
  conversation.emit({ type: 'system', subtype: 'notification', ...notice });
  return {
    prevented: false,
    more: ruleFor(conversation, text)?.steps ?? [{ step: 'say', text: 'Very well.', everyMs: 0 }],
  };
}

function endApiError(conversation: Conversation, turn: Turn, step: Extract<EndStep, { step: 'api-error' }>): void {
  const { status, error, text } = step;
  const type = status === null ? undefined : apiFailure(status, '').type;
  const cause =
    status === null ? {} : { request_id: 'req_scripted_error', api_error_status: status, api_error_type: type };
  turn.stopReason = 'stop_sequence';
  conversation.write(syntheticFrame(conversation, turn, text, { error, ...cause, is_api_error_message: true }));
  turn.announced = true;
  // The answer of the hook is not awaited.
  if (!conversation.inputEnded) {
    const input = { error, last_assistant_message: text };
    conversation.tasks.start(fireHooks(conversation, turn, 'StopFailure', { input }));
  }
  const apiError = { status, type };
  endTurn(conversation, turn, { subtype: 'success', isError: true, terminalReason: 'api_error', text, apiError });
}
