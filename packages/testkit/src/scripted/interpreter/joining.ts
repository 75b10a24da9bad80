import type { Step } from '../script-data.ts';
import type { Conversation } from './conversation.ts';
import { lifecycle } from './endings.ts';
import { replayFrame } from './frames/messages.ts';
import { type CheckedPrompt, checkPrompt, tellHooks, tellRefusal } from './prompt-hook.ts';
import { ruleFor } from './rules.ts';
import type { Program } from './tasks.ts';
import type { QueuedPrompt, Turn } from './turn.ts';

/** A prompt that arrived while tools ran, and what the hooks decided about it. */
interface Candidate extends CheckedPrompt {
  readonly prompt: QueuedPrompt;
}

/**
 * Prompts that arrive while tools run join the running turn, unless a hook refuses them: the turn gives one result for
 * all of them. Returns the script's steps for them.
 */
export function* joinWaitingPrompts(conversation: Conversation, turn: Turn): Program<readonly Step[]> {
  if (turn.speaker.quiet) return [];
  const asked = yield* checkAll(conversation, turn);
  // The host may have withdrawn one while a hook ran.
  const candidates = asked.filter(({ prompt }) => conversation.prompts.includes(prompt));
  for (const { prompt, refusal } of candidates) if (refusal?.kept) turn.putOff.add(prompt);
  const refused = candidates.filter(({ refusal }) => refusal?.kept === false);
  const joining = candidates.filter(({ refusal }) => refusal === undefined);
  refuse(conversation, refused);
  return takeUp(conversation, turn, joining);
}

/** Asks about one prompt after the other; all of them stay queued meanwhile. */
function* checkAll(conversation: Conversation, turn: Turn): Program<readonly Candidate[]> {
  const asked: Candidate[] = [];
  for (const prompt of conversation.prompts.filter((waiting) => !turn.putOff.has(waiting))) {
    asked.push({ prompt, ...(yield* checkPrompt(conversation, turn, prompt.text)) });
  }
  return asked;
}

/** A refused prompt is done, and never echoed. */
function refuse(conversation: Conversation, refused: readonly Candidate[]): void {
  for (const { prompt } of refused) {
    unqueue(conversation, prompt);
    lifecycle(conversation, prompt.uuid, 'started');
    lifecycle(conversation, prompt.uuid, 'completed');
  }
  for (const candidate of refused) {
    tellHooks(conversation, candidate);
    if (candidate.refusal) tellRefusal(conversation, candidate.refusal);
  }
}

function takeUp(conversation: Conversation, turn: Turn, joining: readonly Candidate[]): readonly Step[] {
  for (const candidate of joining) {
    const { prompt } = candidate;
    unqueue(conversation, prompt);
    turn.joined.push(prompt);
    if (conversation.args.replayUserMessages) conversation.write(replayFrame(conversation, prompt, prompt.content));
    tellHooks(conversation, candidate);
  }
  for (const { prompt } of joining) lifecycle(conversation, prompt.uuid, 'started');
  return joining.flatMap(({ prompt }) => ruleFor(conversation, prompt.text, 'specific')?.steps ?? []);
}

function unqueue(conversation: Conversation, prompt: QueuedPrompt): void {
  conversation.prompts.splice(conversation.prompts.indexOf(prompt), 1);
  conversation.record({ kind: 'prompt', text: prompt.text });
}
