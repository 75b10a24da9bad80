import type { Conversation } from './conversation.ts';
import type { RuledCall } from './permission-rules/rule-fits.ts';
import type { Ruling } from './permission-rules/ruling.ts';
import { termsOf } from './permission-terms.ts';

/** Ends the run at a call about which only the real CLI can decide: a guess would make the test worthless. Returns what it says. */
export function endUndecided(conversation: Conversation, call: RuledCall, found: Ruling): string {
  const why = found.decided === 'unknown' ? found.why : 'what it does';
  const message = [
    `The scripted CLI does not decide about ${call.name} ${JSON.stringify(call.input)}: it was not measured ${why}.`,
    `The call was made with ${described(conversation)}.`,
    "State the decision in the script, as useTool(name, input, { permission: 'allow' }), 'ask' or 'deny',",
    'or let the real CLI decide, with startFakeApi(asApiScript(script)).',
  ].join('\n');
  end(conversation, message);
  return message;
}

/** Ends the run at a step that the real CLI would not take in this run. */
export function endMisused(conversation: Conversation, what: string): void {
  end(conversation, `The script contains ${what}. Change the script or the options of the run.`);
}

function end(conversation: Conversation, message: string): void {
  conversation.stderr(message);
  conversation.exit(NOT_PLAYED, { orderly: false });
}

/** The exit code for an error of the program itself. */
const NOT_PLAYED = 70;

function described(conversation: Conversation): string {
  const { mode, rules } = termsOf(conversation);
  const lists = (['deny', 'ask', 'allow'] as const).flatMap((behavior) => {
    const texts = rules[behavior].map(({ text }) => text);
    return texts.length === 0 ? [] : [`${behavior}: ${texts.join(', ')}`];
  });
  return [`the mode ${mode}`, ...(lists.length === 0 ? ['no rules'] : lists)].join('; ');
}
