#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { CommanderError } from 'commander';
import { EXIT, UsageError } from './exit-codes.ts';
import { program, usageExitCode } from './program.ts';

const manifest: { version: string } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

try {
  await program(manifest.version).parseAsync();
} catch (error) {
  process.exitCode = await explain(error);
}
leave();

/** Says what went wrong, and gives the exit code for it. */
async function explain(error: unknown): Promise<number> {
  if (error instanceof CommanderError) return usageExitCode(error);
  if (error instanceof UsageError) {
    process.stderr.write(`cox: ${error.message}\n`);
    return EXIT.usage;
  }
  const { failureLines } = await import('./render/failure.ts');
  const { ownTerminal, paintFor } = await import('./terminal/terminal.ts');
  const isDebug = process.argv.includes('--debug');
  const lines = failureLines(error, paintFor(ownTerminal.stderr, ownTerminal.env), isDebug);
  process.stderr.write(`${lines.join('\n')}\n`);
  return EXIT.failed;
}

/** An open stdin, or a prompt's, would keep the process; what stdout still holds is written first. */
function leave(): void {
  const { stdout } = process;
  if (stdout.destroyed || stdout.writableLength === 0) process.exit();
  stdout.once('error', () => process.exit());
  stdout.write('', () => process.exit());
}
