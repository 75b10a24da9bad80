import { transcriptPath } from './config-paths.ts';
import type { Conversation } from './conversation.ts';
import { initFrame } from './frames/init.ts';
import { fireHooks } from './hooks.ts';
import type { Program } from './tasks.ts';
import type { Turn } from './turn.ts';

/** How a conversation is compacted. */
export interface Compaction {
  readonly trigger: 'manual' | 'auto';
  /** What the user wants to keep. */
  readonly instructions: string;
  /** The summary; null for a default one. */
  readonly summary: string | null;
}

/** The message when a hook refuses. */
export const compactionBlocked: string = 'Compaction blocked by PreCompact hook: [callback]';

/** Replaces the conversation so far by a summary; false when a hook refuses. */
export function* compact(conversation: Conversation, turn: Turn, what: Compaction): Program<boolean> {
  const { trigger, instructions, summary = null } = what;
  const startedAt = conversation.now();
  const before = tokensSoFar(conversation);
  status(conversation, 'compacting');
  const custom_instructions = instructions === '' ? null : instructions;
  const verdict = yield* fireHooks(conversation, turn, 'PreCompact', { input: { trigger, custom_instructions } });
  if (verdict.deny !== undefined || verdict.stop !== undefined) {
    status(conversation, null, { compact_result: 'failed', compact_error: `skipped: ${compactionBlocked}` });
    if (trigger === 'manual') conversation.write(initFrame(conversation, turn));
    return false;
  }
  const kept = summary ?? 'What was said so far.';
  const { model } = conversation;
  yield* fireHooks(conversation, turn, 'SessionStart', { input: { source: 'compact', model } });
  yield* fireHooks(conversation, turn, 'PostCompact', { input: { trigger, compact_summary: kept } });
  status(conversation, null, { compact_result: 'success' });
  if (trigger === 'manual') conversation.write(initFrame(conversation, turn));
  const compact_metadata = {
    trigger,
    pre_tokens: before,
    post_tokens: 2_500,
    cumulative_dropped_tokens: 0,
    duration_ms: conversation.now() - startedAt,
  };
  const logical_parent_uuid = conversation.world.newId();
  conversation.emit({ type: 'system', subtype: 'compact_boundary', compact_metadata, logical_parent_uuid });
  conversation.emit({
    type: 'user',
    message: { role: 'user', content: continuation(conversation, kept) },
    parent_tool_use_id: null,
    timestamp: conversation.timestamp(),
    isReplay: false,
    isSynthetic: true,
  });
  return true;
}

function status(conversation: Conversation, now: 'compacting' | null, outcome: Record<string, string> = {}): void {
  conversation.emit({ type: 'system', subtype: 'status', status: now, ...outcome });
}

function tokensSoFar({ modelUsage }: Conversation): number {
  return [...modelUsage.values()].reduce((sum, usage) => sum + usage.inputTokens + usage.outputTokens, 0);
}

function continuation(conversation: Conversation, summary: string): string {
  return `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n${summary}\n\nIf you need specific details from before compaction, read the full transcript at: ${transcriptPath(conversation)}`;
}
