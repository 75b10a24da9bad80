import { EXIT, type ExitCode } from '../exit-codes.ts';
import { whenReaderLeaves } from '../terminal/closed-pipe.ts';

/** Sets the exit code of the process; it leaves when stdout has been read. */
export function finish(code: ExitCode): void {
  process.exitCode = code;
}

/** Does something that nobody needs to end in good order: without a reader it is simply over. */
export async function printing(work: () => Promise<ExitCode>): Promise<void> {
  whenReaderLeaves(process.stdout, process.stderr, () => process.exit(EXIT.ok));
  finish(await work());
}
