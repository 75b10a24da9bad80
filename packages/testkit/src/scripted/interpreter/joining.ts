import type { Step } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { lifecycle } from './endings.ts';
import { replayFrame } from './frames/messages.ts';
import { ruleFor } from './rules.ts';
import type { Turn } from './turn.ts';

/**
 * Prompts that came while tools ran join the running turn: it gives one result for all of them.
 * Returns what the script has to say to them.
 */
export function joinWaitingPrompts(conversation: Conversation, turn: Turn): readonly Step[] {
  if (turn.speaker.quiet) return [];
  return conversation.prompts.splice(0).flatMap((prompt) => {
    turn.joined.push(prompt);
    conversation.record({ kind: 'prompt', text: prompt.text });
    if (conversation.args.replayUserMessages) {
      conversation.write(replayFrame(conversation, prompt, prompt.content));
    }
    lifecycle(conversation, prompt.uuid, 'started');
    return ruleFor(conversation, prompt.text, 'specific')?.steps ?? [];
  });
}
