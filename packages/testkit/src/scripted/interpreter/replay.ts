import type { JsonValue } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { replayFrame } from './frames/messages.ts';
import type { Turn } from './turn.ts';

/** Echoes the prompts of a turn directly before its first message, if the host requested that. */
export function replayPrompts(conversation: Conversation, turn: Turn): void {
  if (turn.replayed || turn.speaker.quiet) return;
  turn.replayed = true;
  const { prompts } = turn;
  echoPrompt(
    conversation,
    turn,
    prompts.length === 1 ? prompts[0]?.content : prompts.map(({ text }) => text).join('\n'),
  );
}

/** Echoes a turn's last prompt with other content. */
export function echoPrompt(conversation: Conversation, { prompts }: Turn, content: JsonValue | undefined): void {
  const last = prompts.at(-1);
  if (last === undefined || content === undefined || !conversation.args.replayUserMessages) return;
  conversation.write(replayFrame(conversation, last, content));
}
