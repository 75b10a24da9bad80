import type { JsonValue, ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { endTurn } from './endings.ts';
import { speakToolUse } from './speech.ts';
import type { Program } from './tasks.ts';
import { type Flow, toolRound } from './tool-round.ts';
import { runTools } from './tool-use.ts';
import type { Turn } from './turn.ts';

/** Returns an output that fails the schema; the turn continues. */
export function* rejectOutput(
  conversation: Conversation,
  turn: Turn,
  { value, problem }: { readonly value: JsonValue; readonly problem: string },
): Program<Flow> {
  const result = `Output does not match required schema: ${problem}`;
  turn.rejectedOutputs.push(result);
  return yield* attempt(conversation, turn, value, { result, isError: true });
}

/** Returns the matching output and ends the turn. */
export function* giveOutput(conversation: Conversation, turn: Turn, value: JsonValue): Program<Flow> {
  const result = 'Structured output provided successfully';
  if ((yield* attempt(conversation, turn, value, { result, isError: false })) === 'cut') return 'cut';
  const given = { text: JSON.stringify(value), structuredOutput: value };
  endTurn(conversation, turn, { subtype: 'success', isError: false, terminalReason: 'completed', ...given });
  return 'on';
}

/** Ends the turn without an output. */
export function giveUpOutput(conversation: Conversation, turn: Turn): void {
  const { rejectedOutputs } = turn;
  endTurn(conversation, turn, {
    subtype: 'error_max_structured_output_retries',
    isError: true,
    terminalReason: 'structured_output_retry_exhausted',
    errors: [
      `Failed to provide valid structured output after ${rejectedOutputs.length} attempts — last StructuredOutput error: ${rejectedOutputs.at(-1)}`,
    ],
  });
}

function* attempt(
  conversation: Conversation,
  turn: Turn,
  value: JsonValue,
  { result, isError }: { readonly result: string; readonly isError: boolean },
): Program<Flow> {
  // The tool takes an object; other values are wrapped in one, like in the CLI's own tool.
  const input = typeof value === 'object' && value !== null && !('length' in value) ? value : { value };
  const call: ToolCall = {
    name: 'StructuredOutput',
    input,
    result,
    output: null,
    isError,
    durationMs: 0,
    permission: 'allow',
    elicits: null,
  };
  const id = speakToolUse(conversation, turn, call);
  return yield* toolRound(conversation, turn, () => runTools(conversation, turn, [{ call, id }]));
}
