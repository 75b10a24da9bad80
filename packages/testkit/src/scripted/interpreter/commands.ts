import type { JsonObject } from '../../json.ts';
import { tellOpenTasks } from './background.ts';
import { compact, compactionBlocked } from './compaction.ts';
import type { Conversation } from './conversation.ts';
import { endUnanswered } from './endings.ts';
import { initFrame } from './frames/init.ts';
import { syntheticFrame } from './frames/messages.ts';
import { fireHooks } from './hooks.ts';
import { sayBack } from './replay.ts';
import type { Program } from './tasks.ts';
import type { Turn } from './turn.ts';

/** Commands that the CLI handles without asking the model. */
export function ownCommand(prompt: string): ((conversation: Conversation, turn: Turn) => Program) | undefined {
  const [, name = ''] = /^\s*\/(\S+)/.exec(prompt) ?? [];
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}

const commands: Readonly<Record<string, (conversation: Conversation, turn: Turn) => Program>> = {
  clear,
  compact: compactByCommand,
};

/** Starts a new session; costs start at 0. */
function* clear(conversation: Conversation, turn: Turn): Program {
  yield* fireHooks(conversation, turn, 'SessionEnd', { input: { reason: 'clear' } });
  const id = conversation.world.newId();
  const uuid = turn.prompts.at(-1)?.uuid;
  conversation.emit({
    type: 'conversation_reset',
    new_conversation_id: id,
    uuid: id,
    trigger: 'clear',
    ...(uuid !== undefined && { user_message_uuid: uuid }),
    timestamp: conversation.timestamp(),
  });
  conversation.sessionId = conversation.world.newId();
  conversation.totalCostUsd = 0;
  conversation.carriedCostUsd = 0;
  conversation.modelUsage.clear();
  conversation.usageSinceResult.clear();
  tellOpenTasks(conversation);
  yield* fireHooks(conversation, turn, 'SessionStart', { input: { source: 'clear' } });
  conversation.write(initFrame(conversation, turn));
  sayBack(conversation, turn, commandText('clear', ''));
  endUnanswered(conversation, turn, '', local('clear'));
}

function* compactByCommand(conversation: Conversation, turn: Turn): Program {
  const instructions = turn.prompt.trim().slice('/compact'.length).trim();
  const compacted = yield* compact(conversation, turn, { trigger: 'manual', instructions, summary: null });
  if (compacted) tellCompacted(conversation);
  else conversation.write(syntheticFrame(conversation, turn, compactionBlocked, {}));
  sayBack(conversation, turn, commandText('compact', instructions));
  endUnanswered(conversation, turn, '', local('compact'));
}

function tellCompacted(conversation: Conversation): void {
  conversation.emit({
    type: 'user',
    message: { role: 'user', content: '<local-command-stdout>Compacted </local-command-stdout>' },
    parent_tool_use_id: null,
    timestamp: conversation.timestamp(),
    isReplay: true,
  });
}

function local(name: string): JsonObject {
  return { local_command: name };
}

function commandText(name: string, args: string): string {
  return `<command-name>/${name}</command-name>\n            <command-message>${name}</command-message>\n            <command-args>${args}</command-args>`;
}
