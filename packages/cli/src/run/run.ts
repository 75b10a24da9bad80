import { DEMO_PROMPT } from '../demo/agent.ts';
import { type ExitCode, UsageError } from '../exit-codes.ts';
import { pipedInput } from '../terminal/piped-input.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type AgentFlags, schemaIn } from './agent-flags.ts';
import { openConversation } from './open.ts';
import type { OutputFlags } from './output-flags.ts';

/** The flags of `cox run`. */
export interface RunFlags extends AgentFlags, OutputFlags {
  readonly schema?: string;
}

/** `cox run`: one prompt, one answer. */
export async function run(words: readonly string[], flags: RunFlags, terminal: Terminal): Promise<ExitCode> {
  const prompt = await promptOf(words, flags, terminal);
  const extra = flags.schema === undefined ? {} : { outputSchema: await schemaIn(flags.schema) };
  await using conversation = await openConversation(flags, { terminal, command: 'run', extra });
  return await conversation.play(prompt);
}

/** The prompt of the command line, then the piped input; `-` means only the piped input. */
export async function promptOf(words: readonly string[], flags: AgentFlags, { stdin }: Terminal): Promise<string> {
  const typed = words.join(' ').trim();
  const isAlone = typed === '' || typed === '-';
  const waitMs = isAlone && !flags.demo ? undefined : WAIT_MS;
  const piped = (await pipedInput(stdin, { waitMs, onlyPipes: !isAlone })).trim();
  const prompt = isAlone ? piped : [typed, piped].filter(Boolean).join('\n\n');
  if (prompt !== '') return prompt;
  if (flags.demo) return DEMO_PROMPT;
  throw new UsageError('No prompt. Pass one (cox run "What does this do?"), pipe one in, or start a chat: cox chat.');
}

/** Time in which piped input beside a prompt must start. */
const WAIT_MS = 3_000;
