import { Refusal } from '../refusal.ts';
import type { ConversationRecord } from './record.ts';

/** The answer after which a copy ends that continues instead of a prompt. @throws Refusal */
export function answerBefore({ forkPoints, entries }: ConversationRecord, prompt: number): string {
  const answer = forkPoints.answerBefore(prompt);
  if (answer !== undefined) return answer;
  const isPrompt = entries.get(prompt)?.kind === 'prompt';
  throw new Refusal(
    'not-possible',
    isPrompt ? 'Nothing comes before this prompt: begin a new conversation instead.' : 'This entry is not a prompt.',
  );
}
