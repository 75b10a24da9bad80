import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Comparison } from './compare-declarations.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

/** The compilers need 1 to 10 s of CPU time; this only ends one that never completes. Tests that compile wait longer. */
const TIME_LIMIT_MS = 500_000;
export const COMPILER_TEST_MS = TIME_LIMIT_MS + 60_000;

/** The releases of the compiler in tools/. */
export type Compiler = 'typescript-5.9' | 'typescript-7';

/** The errors of a project, one per line of the compiler's output. */
export async function compile(place: string, project: string, compiler: Compiler = 'typescript-7'): Promise<string[]> {
  const tsc = join(REPOSITORY, 'tools/node_modules', compiler, 'bin/tsc');
  const typeRoots = join(REPOSITORY, 'node_modules/@types');
  const args = [tsc, '-p', join(place, project), '--typeRoots', typeRoots, '--pretty', 'false'];
  const { output, error } = await run(args, place);
  const lines = output.split('\n').filter((line) => line !== '');
  return lines.length === 0 && error !== null ? [String(error)] : lines;
}

/**
 * `compareDeclarations()` in a process of its own: it computes for seconds, in which a test worker could not answer vitest.
 * @throws Error if the comparison fails.
 */
export async function compareInProcess(): Promise<Comparison> {
  const { output, error } = await run(['--import', 'tsx', 'scripts/suites/drop-in-types.mjs', '--json'], REPOSITORY);
  if (error !== null) throw error;
  // The script prints exactly this.
  return JSON.parse(output) as Comparison;
}

function run(args: readonly string[], cwd: string): Promise<{ output: string; error: Error | null }> {
  return new Promise((resolve) => {
    const limits = { timeout: TIME_LIMIT_MS, killSignal: 'SIGKILL', maxBuffer: 64 * 1024 * 1024 } as const;
    execFile(process.execPath, args, { cwd, ...limits }, (error, stdout, stderr) => {
      resolve({ output: `${stdout}${stderr}`, error });
    });
  });
}
