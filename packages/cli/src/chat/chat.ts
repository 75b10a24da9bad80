import { EXIT, type ExitCode } from '../exit-codes.ts';
import { usd } from '../render/format.ts';
import type { Paint } from '../render/paint.ts';
import { resumeCommand } from '../render/summary.ts';
import type { AgentFlags } from '../run/agent-flags.ts';
import type { Conversation } from '../run/conversation.ts';
import { openConversation } from '../run/open.ts';
import type { OutputFlags } from '../run/output-flags.ts';
import { paintFor, printNotice, type Terminal } from '../terminal/terminal.ts';
import { loadHistory, saveHistory } from './history.ts';
import { type Input, type PromptSource, promptSource } from './input.ts';
import { CHAT_HELP, type ChatLine, parseLine } from './slash.ts';

/** The flags of `cox chat`. */
export type ChatFlags = AgentFlags & Omit<OutputFlags, 'json'>;

/** `cox chat`: turn after turn, until the user exits. */
export async function chat(flags: ChatFlags, terminal: Terminal): Promise<ExitCode> {
  const paint = paintFor(terminal.stderr, terminal.env, flags.color);
  const print = (line: string): void => {
    if (!flags.quiet) printNotice(terminal, line);
  };
  const keepsHistory = !flags.demo && flags.persist !== false;
  const source = promptSource(terminal, paint, keepsHistory ? await loadHistory(terminal.env) : []);
  await using conversation = await openConversation(flags, { terminal, command: 'chat' });
  if (terminal.stdin.isTTY) print(paint.dim(flags.demo ? DEMO_WORDS : WELCOME));
  const { exitCode, ending } = await readPrompts(conversation, source, print, paint);
  if (keepsHistory && source.history.length > 0) await saveHistory(terminal.env, source.history);
  if (conversation.lastResult !== undefined && keepsHistory) {
    print(paint.dim(`continue with: ${resumeCommand('chat', conversation.session.id)}`));
  }
  if (ending === 'interrupted') return EXIT.interrupted;
  // A user at a terminal has seen how the turns ended; a pipe needs the exit code.
  return terminal.stdin.isTTY && !conversation.hasEnded ? EXIT.ok : exitCode;
}

const WELCOME = '/help shows the commands; Ctrl-C interrupts a turn, Ctrl-D exits.';
const DEMO_WORDS = 'A scripted agent. Say anything, then "What did you change?", or "Count" and press Ctrl-C.';

async function readPrompts(
  conversation: Conversation,
  source: PromptSource,
  print: (line: string) => void,
  paint: Paint,
): Promise<{ exitCode: ExitCode; ending: Input['kind'] }> {
  let exitCode: ExitCode = EXIT.ok;
  while (!conversation.hasEnded) {
    const input = await source.next(conversation.background.called());
    if (input.kind === 'called') {
      exitCode = await conversation.follow();
      print('');
      continue;
    }
    if (input.kind !== 'line') return { exitCode, ending: input.kind };
    const line = parseLine(input.text);
    if (line.kind === 'exit') return { exitCode, ending: 'end' };
    if (line.kind === 'prompt') {
      exitCode = await conversation.play(line.text, { waits: !source.isTyped });
      print('');
    } else {
      await command(line, conversation, print, paint).catch((error) => print(paint.red(`✗ ${String(error.message)}`)));
    }
  }
  return { exitCode, ending: conversation.ctrlC.presses > 1 ? 'interrupted' : 'end' };
}

async function command(
  line: Exclude<ChatLine, { kind: 'prompt' }>,
  { session, lastResult }: Conversation,
  print: (line: string) => void,
  paint: Paint,
): Promise<void> {
  switch (line.kind) {
    case 'help':
      return print(CHAT_HELP.join('\n'));
    case 'clear':
      await session.clear();
      return print(paint.dim('a new conversation'));
    case 'cost':
      return print(lastResult === undefined ? 'nothing yet' : `${usd(session.cost().costUsd)} so far`);
    case 'model':
      await session.ready;
      if (line.name === undefined) {
        const models = session.models.map(
          ({ value, description = '' }) => `${value.padEnd(16)} ${paint.dim(description)}`,
        );
        return print(models.join('\n'));
      }
      await session.setModel(line.name);
      return print(paint.dim(`from now on: ${line.name}`));
    default:
      return;
  }
}
