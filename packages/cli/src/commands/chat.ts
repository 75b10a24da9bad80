import { Command } from 'commander';
import type { ChatFlags } from '../chat/chat.ts';
import { ownTerminal } from '../terminal/terminal.ts';
import { finish } from './finish.ts';
import { addAgentFlags, addOutputFlags } from './shared-flags.ts';

/** `cox chat`. */
export function chatCommand(): Command {
  const command = new Command('chat').description('have a conversation with the agent');
  addAgentFlags(command);
  addOutputFlags(command, 'json');
  return command
    .addHelpText(
      'after',
      `
Examples:
  cox chat
  cox chat --continue --model opus
  printf 'Read the notes.\\nSum them up.\\n' | cox chat --quiet
  cox chat --demo

In the chat: /model, /clear, /cost, /exit, /help; other /commands go to Claude Code.
Ctrl-C interrupts a turn; twice, or Ctrl-D, exits.`,
    )
    .action(async (flags: ChatFlags) => {
      const { chat } = await import('../chat/chat.ts');
      finish(await chat(flags, ownTerminal));
    });
}
