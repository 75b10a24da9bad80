/** Calls `ended` when stdout fails: its reader has closed it (`cox run … | head -1`), or the disk is full. */
export function whenOutputEnds({ stdout, stderr }: Outputs, ended: (error: Error) => void): void {
  stdout.on('error', ended);
  // No stream remains for reporting it.
  stderr.on('error', () => {});
}

/** True if stdout ended because its reader closed it, which is not a failure. */
export function isReaderClosed(error: Error): boolean {
  return 'code' in error && READER_LEFT.has(error.code);
}

interface Outputs {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const READER_LEFT: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'EOF']);
