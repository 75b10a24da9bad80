#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { exitAfterOutput, watchOutput } from './commands/finish.ts';
import { EXIT, UsageError } from './exit-codes.ts';
import { program, usageExitCode } from './program.ts';
import { ownTerminal, paintFor, printNotice } from './terminal/terminal.ts';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

watchOutput();
try {
  await program(manifest.version).parseAsync();
} catch (error) {
  process.exitCode = await explain(error);
}
exitAfterOutput();

/** Prints the error and returns the exit code for it. */
async function explain(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return usageExitCode(error);
  if (error instanceof UsageError) {
    printNotice(ownTerminal, `cox: ${error.message}`);
    return EXIT.usage;
  }
  if (error instanceof Error && 'code' in error && error.code === 'abort') return EXIT.interrupted;
  const { failureLines } = await import('./render/failure.ts');
  const isDebug = process.argv.includes('--debug');
  for (const line of failureLines(error, paintFor(ownTerminal.stderr, ownTerminal.env), isDebug))
    printNotice(ownTerminal, line);
  return EXIT.failed;
}
