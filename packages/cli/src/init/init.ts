import { initProject, reportLines, ScaffoldError } from 'create-coxswain';
import { EXIT, type ExitCode, UsageError } from '../exit-codes.ts';
import type { Terminal } from '../terminal/terminal.ts';

/** The flags of `cox init`. */
export interface InitFlags {
  readonly language?: string;
  readonly packageManager?: string;
  readonly folder?: string;
  readonly cwd?: string;
}

/** `cox init`: adds what `npm create coxswain` makes to an existing project. @throws UsageError */
export async function init(flags: InitFlags, { stdout, env }: Terminal): Promise<ExitCode> {
  const { language, packageManager, folder: agentFolder, cwd: folder = '.' } = flags;
  try {
    const report = initProject({ folder, language, packageManager, agentFolder, env });
    stdout.write(`${reportLines(report).join('\n')}\n`);
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ScaffoldError) throw new UsageError(error.message);
    throw error;
  }
}
