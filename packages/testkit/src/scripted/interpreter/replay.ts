import type { JsonValue } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { replayFrame } from './frames/messages.ts';
import type { Turn } from './turn.ts';

/** Echoes the prompts of a turn, if the host wants that: just before the turn's first message. */
export function replayPrompts(conversation: Conversation, turn: Turn): void {
  if (turn.replayed || turn.speaker.quiet) return;
  turn.replayed = true;
  const { prompts } = turn;
  sayBack(conversation, turn, prompts.length === 1 ? prompts[0]?.content : prompts.map(({ text }) => text).join('\n'));
}

/** Echoes a turn's last prompt, in other words. */
export function sayBack(conversation: Conversation, { prompts }: Turn, content: JsonValue | undefined): void {
  const last = prompts.at(-1);
  if (last === undefined || content === undefined || !conversation.args.replayUserMessages) return;
  conversation.write(replayFrame(conversation, last, content));
}
