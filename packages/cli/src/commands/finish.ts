import { EXIT, type ExitCode } from '../exit-codes.ts';
import { hasReaderLeft, whenOutputEnds } from '../terminal/output-end.ts';

/** Why not all that was written to stdout has got there. */
let failure: Error | undefined;

/** Notes what goes wrong with stdout, which does not remember it. */
export function watchOutput(): void {
  whenOutputEnds(process, (error) => {
    if (!hasReaderLeft(error)) failure ??= error;
  });
}

/** Sets the exit code of the process; it leaves when stdout has been read. */
export function finish(code: ExitCode): void {
  process.exitCode = code;
}

/** Runs a command that needs no graceful end: it stops when stdout can take no more. */
export async function printing(work: () => Promise<ExitCode>): Promise<void> {
  whenOutputEnds(process, exit);
  finish(await work());
}

/** Leaves, although an open stdin, or a prompt's, would keep the process. What stdout still holds is written first. */
export function leave(): void {
  // A write that fails is told after the code that wrote has ended.
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
