import { stat } from 'node:fs/promises';
import { demoOptions } from '../demo/demo.ts';
import { type ExitCode, UsageError } from '../exit-codes.ts';
import { openConversation } from '../run/open.ts';
import { promptOf, type RunFlags } from '../run/run.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The flags of `cox record`. */
export interface RecordFlags extends Omit<RunFlags, 'schema'> {
  readonly force?: boolean;
}

/** `cox record`: a run that is saved to a file, for `cox replay` and for tests. */
export async function record(
  file: string,
  words: readonly string[],
  flags: RecordFlags,
  terminal: Terminal,
): Promise<ExitCode> {
  if (!flags.force && (await exists(file))) {
    throw new UsageError(`${file} already exists; --force overwrites it.`);
  }
  const prompt = await promptOf(words, flags, terminal);
  const { recording } = await import('@coxswain/testkit');
  const inner = flags.demo ? (await demoOptions(terminal, flags.resume)).transport : undefined;
  const tape = recording(file, { cli: flags.cli, ...(typeof inner === 'function' ? { inner } : {}) });
  const exitCode = await play();
  await tape.saved();
  if (!flags.quiet) terminal.stderr.write(`  recorded: ${file}; play it with: cox replay ${file}\n`);
  return exitCode;

  async function play(): Promise<ExitCode> {
    const extra = { transport: tape };
    await using conversation = await openConversation(flags, { terminal, command: 'run', extra, watchesCost: false });
    return await conversation.play(prompt);
  }
}

async function exists(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}
