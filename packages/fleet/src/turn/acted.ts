import type { Message } from 'coxswain';

/**
 * True if a message shows that a tool was called, or may have been. Text, thinking, and what the CLI writes about itself and about failures
 * of the API show nothing of the kind.
 */
export function showsAction(message: Message): boolean {
  switch (message.type) {
    case 'assistant':
      return hasOther(message.message?.content, HARMLESS);
    case 'user':
      // The echo of the prompt, or a tool's result.
      return message.isReplay !== true && hasOther(message.message?.content, PROMPTS);
    case 'stream_event':
      return message.event?.type === 'content_block_start' && isOther(message.event.content_block, HARMLESS);
    case 'tool_progress':
    case 'tool_use_summary':
      return true;
    case 'system':
      return message.subtype === 'local_command_output' || message.subtype.startsWith('task_');
    default:
      return false;
  }
}

/** Blocks of an answer without effects. Any other may be a call. */
const HARMLESS: ReadonlySet<string> = new Set(['text', 'thinking', 'redacted_thinking', 'fallback', 'compaction']);

/** Blocks that the user role has besides results of tools. */
const PROMPTS: ReadonlySet<string> = new Set(['text', 'image', 'document', 'search_result']);

/** The messages are not checked: a block may be anything. */
function isOther(block: unknown, known: ReadonlySet<string>): boolean {
  const type = typeof block === 'object' && block !== null && 'type' in block ? block.type : undefined;
  return typeof type !== 'string' || !known.has(type);
}

function hasOther(content: unknown, known: ReadonlySet<string>): boolean {
  if (typeof content === 'string') return false;
  return !Array.isArray(content) || content.some((block) => isOther(block, known));
}
