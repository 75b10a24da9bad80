import type { JsonObject } from '../../json.ts';
import type { ResultFields } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { reach } from './faults.ts';
import { userFrame } from './frames/messages.ts';
import { type Ending, resultFrame, unansweredResult } from './frames/result.ts';
import { addUsage, noUsage, type Usage } from './frames/usage.ts';
import { replayPrompts } from './replay.ts';
import { abandonMessage } from './speech.ts';
import type { Turn } from './turn.ts';

/** Ends a turn with its result, and reports the finished prompts. */
export function endTurn(
  conversation: Conversation,
  turn: Turn,
  ending: Ending,
  given: ResultFields = turn.resultFields,
): void {
  correctUsage(conversation, turn, given);
  for (const { uuid } of turn.joined) lifecycle(conversation, uuid, 'completed');
  const frame = resultFrame(conversation, turn, ending, given);
  sendResult(conversation, turn, frame, frame.is_error === true);
  const state = cancels(ending) ? 'cancelled' : 'completed';
  for (const { uuid } of turn.prompts) lifecycle(conversation, uuid, state);
  lifecycle(conversation, turn.continues, state);
}

function cancels({ terminalReason }: Ending): boolean {
  return terminalReason.startsWith('aborted') || CANCELLING.has(terminalReason);
}

const CANCELLING: ReadonlySet<string> = new Set([
  'api_error',
  'budget_exhausted',
  'structured_output_retry_exhausted',
  'tool_deferred_unavailable',
]);

/** Ends a turn without a request to the model. */
export function endUnanswered(conversation: Conversation, turn: Turn, text: string, extra: JsonObject = {}): void {
  sendResult(conversation, turn, { ...unansweredResult(conversation, turn, text), ...extra }, false);
  for (const { uuid } of turn.prompts) lifecycle(conversation, uuid, 'completed');
  lifecycle(conversation, turn.continues, 'completed');
}

/** Writes a result and counts it. */
function sendResult(
  conversation: Conversation,
  turn: Turn,
  frame: ReturnType<typeof resultFrame>,
  failed: boolean,
): void {
  conversation.heldResults.push(frame);
  if (!holdsResults(conversation))
    for (const held of conversation.heldResults.splice(0)) writeResult(conversation, held);
  conversation.resultCount += 1;
  conversation.lastResultFailed = failed;
  conversation.usageSinceResult.clear();
  turn.resultSent = true;
  turn.phase = 'over';
  conversation.tasks.notify('turn over');
  reach(conversation, 'result');
}

/** Writes a result, or misbehaves as scripted. */
function writeResult(conversation: Conversation, frame: JsonObject): void {
  const { how, ms = 0 } = conversation.misbehaviour.results ?? {};
  if (how === 'missing') return;
  if (how === 'late') conversation.effects.push({ effect: 'pause', ms });
  if (how === 'double') conversation.write(frame);
  if (how === 'open') conversation.writeLine(JSON.stringify(frame), '');
  else conversation.write(frame);
}

/** True for a one-shot with a running agent, which delays results. */
function holdsResults({ args, background }: Conversation): boolean {
  return !args.streamInput && [...background.values()].some(({ isAgent }) => isAgent);
}

/** Ends a turn that the user interrupted: its open tool calls are rejected, its open message stays incomplete. */
export function endInterrupted(conversation: Conversation, turn: Turn, how: { readonly withResult: boolean }): void {
  if (turn.resultSent) return;
  const inTools = turn.phase === 'tools';
  const inMessage = turn.message !== undefined;
  replayPrompts(conversation, turn);
  for (const id of turn.openTools) {
    const block = { type: 'tool_result', content: rejected, is_error: true, tool_use_id: id };
    const meta = { tool_result_meta: [{ id, non_execution_kind: 'user-rejected' }] };
    turn.userMessages += 1;
    conversation.write(userFrame(conversation, turn, [block], { tool_use_result: 'User rejected tool use', ...meta }));
  }
  const text = inTools ? '[Request interrupted by user for tool use]' : '[Request interrupted by user]';
  turn.userMessages += 1;
  conversation.write(userFrame(conversation, turn, [{ type: 'text', text }]));
  abandonMessage(conversation, turn);
  if (inMessage) turn.stopReason = null;
  if (!how.withResult) return;
  endTurn(conversation, turn, {
    subtype: 'error_during_execution',
    isError: true,
    terminalReason: inTools ? 'aborted_tools' : 'aborted_streaming',
    errors: [`[ede_diagnostic] result_type=user last_content_type=n/a stop_reason=${turn.stopReason}`],
  });
}

/** Ends a turn that was interrupted while hooks handled its prompt: the prompt is not echoed. */
export function endUnchecked(conversation: Conversation, turn: Turn): void {
  conversation.write(userFrame(conversation, turn, [{ type: 'text', text: '[Request interrupted by user]' }]));
  const ending: Ending = {
    subtype: 'error_during_execution',
    isError: true,
    terminalReason: 'aborted_streaming',
    errors: ['prompt_check: the turn was stopped before its prompt was checked'],
  };
  endTurn(conversation, turn, ending, { fields: { num_turns: 0 } });
}

/** Reports the progress of a prompt; only prompts sent with a uuid are tracked. */
export function lifecycle(conversation: Conversation, uuid: string | undefined, state: string): void {
  if (uuid !== undefined) conversation.emit({ type: 'command_lifecycle', command_uuid: uuid, state });
}

const rejected =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file). STOP what you are doing and wait for the user to tell you how to proceed.";

/** Sets the cost of the turn as scripted. */
function correctUsage(conversation: Conversation, turn: Turn, given: ResultFields): void {
  const { usage } = turn;
  const wanted: Usage = {
    inputTokens: given.inputTokens ?? usage.inputTokens,
    outputTokens: given.outputTokens ?? usage.outputTokens,
    thinkingTokens: usage.thinkingTokens,
    costUsd: given.costUsd ?? usage.costUsd,
  };
  const difference: Usage = {
    inputTokens: wanted.inputTokens - usage.inputTokens,
    outputTokens: wanted.outputTokens - usage.outputTokens,
    thinkingTokens: 0,
    costUsd: wanted.costUsd - usage.costUsd,
  };
  if (difference.inputTokens === 0 && difference.outputTokens === 0 && difference.costUsd === 0) return;
  turn.usage = wanted;
  conversation.totalCostUsd += difference.costUsd;
  for (const totals of [conversation.modelUsage, conversation.usageSinceResult]) {
    totals.set(conversation.model, addUsage(totals.get(conversation.model) ?? noUsage, difference));
  }
}
