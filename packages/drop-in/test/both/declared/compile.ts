import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));
const TIME_LIMIT_MS = 180_000;

/** The releases of the compiler in tools/. */
export type Compiler = 'typescript-5.9' | 'typescript-7';

/** The errors of a project, one per line of the compiler's output. */
export function compile(place: string, project: string, compiler: Compiler = 'typescript-7'): Promise<string[]> {
  const tsc = join(REPOSITORY, 'tools/node_modules', compiler, 'bin/tsc');
  const typeRoots = join(REPOSITORY, 'node_modules/@types');
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [tsc, '-p', join(place, project), '--typeRoots', typeRoots, '--pretty', 'false'],
      { cwd: place, timeout: TIME_LIMIT_MS },
      (error, stdout, stderr) => {
        const said = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
        resolve(said.length === 0 && error !== null ? [String(error)] : said);
      },
    );
  });
}
