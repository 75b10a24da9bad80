import type { JsonValue } from '../../json.ts';
import type { Step, ToolCall } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { endTurn } from './endings.ts';
import { userFrame } from './frames/messages.ts';
import { endMisused } from './not-played.ts';
import { schemaFits, wantedSchema } from './output-schema.ts';
import { ruleFor } from './rules.ts';
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
  if (contradicts(conversation, value, 'rejectedOutput')) return 'cut';
  const result = `Output does not match required schema: ${problem}`;
  turn.rejectedOutputs.push(result);
  if ((yield* attempt(conversation, turn, value, { result, isError: true })) === 'cut') return 'cut';
  if (turn.rejectedOutputs.length < MOST_OUTPUTS) return 'on';
  giveUpOutput(conversation, turn);
  return 'cut';
}

/** Returns the matching output and ends the turn. */
export function* giveOutput(conversation: Conversation, turn: Turn, value: JsonValue): Program<Flow> {
  if (contradicts(conversation, value, 'structuredOutput')) return 'cut';
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

/** What follows an answer without the output that the host asked for: the CLI reminds the model, once. */
export function missingOutput(conversation: Conversation, turn: Turn): readonly Step[] | undefined {
  if (turn.speaker.quiet || turn.remindedOfOutput || wantedSchema(conversation) === undefined) return undefined;
  turn.remindedOfOutput = true;
  turn.userMessages += 1;
  conversation.write(userFrame(conversation, turn, [{ type: 'text', text: REMINDER }], { isSynthetic: true }));
  return ruleFor(conversation, REMINDER)?.steps ?? [{ step: 'say', text: 'I have none.', everyMs: 0 }];
}

const REMINDER =
  '[structured-output-enforce] You MUST call the StructuredOutput tool to complete this request. Call this tool now.';

/** The CLI gives up after so many outputs that do not match. */
const MOST_OUTPUTS = 5;

/** Ends the run when the script says of an output what the real CLI would not: that would make the test worthless. */
function contradicts(
  conversation: Conversation,
  value: JsonValue,
  step: 'structuredOutput' | 'rejectedOutput',
): boolean {
  const schema = wantedSchema(conversation);
  const given = `${step}(${JSON.stringify(value).slice(0, 500)})`;
  if (schema === undefined) {
    endMisused(
      conversation,
      `${given}, but the run has no outputSchema, and so the agent no tool for structured output`,
    );
    return true;
  }
  const fits = schemaFits(schema, value);
  if (step === 'structuredOutput' && fits === 'no') {
    endMisused(
      conversation,
      `${given}, which does not match the outputSchema of the run: the CLI rejects it (rejectedOutput)`,
    );
    return true;
  }
  if (step === 'rejectedOutput' && fits === 'yes') {
    endMisused(
      conversation,
      `${given}, which matches the outputSchema of the run: the CLI accepts it (structuredOutput)`,
    );
    return true;
  }
  return false;
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
