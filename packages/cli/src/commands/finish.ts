import { EXIT, type ExitCode } from '../exit-codes.ts';
import { isReaderClosed, whenOutputEnds } from '../terminal/output-end.ts';

/** Why stdout did not receive everything that was written to it. */
let failure: Error | undefined;

/** Records errors of stdout, which the stream does not keep. */
export function watchOutput(): void {
  whenOutputEnds(process, (error) => {
    if (!isReaderClosed(error)) failure ??= error;
  });
}

/** Sets the exit code of the process, which exits when stdout has been read. */
export function finish(code: ExitCode): void {
  process.exitCode = code;
}

/** Runs a command that can stop at any time: it exits when stdout fails. */
export async function printing(work: () => Promise<ExitCode>): Promise<void> {
  whenOutputEnds(process, exit);
  finish(await work());
}

/** Exits even if an open stdin, or that of a prompt, would keep the process alive. Pending output of stdout is written first. */
export function exitAfterOutput(): void {
  // The error of a write is reported after the code that wrote has ended.
  setImmediate(() => {
    const { stdout } = process;
    if (failure !== undefined || stdout.destroyed || stdout.writableLength === 0) return exit();
    whenOutputEnds(process, exit);
    stdout.write('', exit);
  });
}

function exit(): void {
  if (failure === undefined) process.exit();
  process.stderr.write(`cox: the output could not be written: ${failure.message}\n`);
  process.exit(EXIT.failed);
}
