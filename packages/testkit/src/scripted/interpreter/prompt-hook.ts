import type { JsonObject } from '../../json.ts';
import type { Conversation } from './conversation.ts';
import { fireHooks, type HookVerdict, tellFailures, tellNotes } from './hooks.ts';
import type { Program } from './tasks.ts';
import type { Turn } from './turn.ts';

/** What the `UserPromptSubmit` hooks decided about a prompt. */
export interface CheckedPrompt {
  readonly verdict: HookVerdict;
  readonly refusal: PromptRefusal | undefined;
}

/** Why a prompt does not reach the model. */
export interface PromptRefusal {
  readonly content: string;
  /** Whether the prompt stays in the conversation all the same. */
  readonly kept: boolean;
  readonly outcome: JsonObject;
}

/** Runs the `UserPromptSubmit` hooks for a prompt. */
export function* checkPrompt(conversation: Conversation, turn: Turn, prompt: string): Program<CheckedPrompt> {
  const verdict = yield* fireHooks(conversation, turn, 'UserPromptSubmit', { input: { prompt } });
  return { verdict, refusal: refusalOf(prompt, verdict) };
}

/** Reports the hooks' messages about a prompt, and which of them failed. */
export function tellHooks(conversation: Conversation, { verdict }: CheckedPrompt): void {
  tellFailures(conversation, verdict);
  tellNotes(conversation, verdict, 'UserPromptSubmit');
}

/** Reports to the host why a prompt does not reach the model. */
export function tellRefusal(conversation: Conversation, { content, kept, outcome }: PromptRefusal): void {
  const prompt_submit_outcome = { prompt_kept: kept, ...outcome };
  const what = { content, level: 'warning', prevent_continuation: true, prompt_submit_outcome };
  conversation.emit({ type: 'system', subtype: 'informational', ...what });
}

function refusalOf(prompt: string, verdict: HookVerdict): PromptRefusal | undefined {
  if (verdict.broken === 'timeout') {
    const content = 'UserPromptSubmit operation blocked by hook:\nUserPromptSubmit hook callback timed out';
    return { content, kept: false, outcome: { kind: 'no_verdict', no_verdict_kind: 'callback_timed_out' } };
  }
  if (verdict.deny !== undefined) {
    const content = `UserPromptSubmit operation blocked by hook:\n${verdict.deny}\n\nOriginal prompt: ${prompt}`;
    return { content, kept: false, outcome: { kind: 'blocked_by_hook', reason: verdict.deny } };
  }
  if (verdict.stop !== undefined) {
    const content = `Operation stopped by hook: ${verdict.stop}`;
    return { content, kept: true, outcome: { kind: 'stopped_by_hook', reason: verdict.stop } };
  }
  return undefined;
}
