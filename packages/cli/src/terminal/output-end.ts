/** Calls `ended` when stdout can take no more: its reader has left (`cox run … | head -1`), or the disk is full. */
export function whenOutputEnds({ stdout, stderr }: Outputs, ended: (error: Error) => void): void {
  stdout.on('error', ended);
  // There is nowhere left to report it.
  stderr.on('error', () => {});
}

/** True if stdout ended because its reader has left, which is not a failure. */
export function hasReaderLeft(error: Error): boolean {
  return 'code' in error && READER_LEFT.has(error.code);
}

interface Outputs {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

const READER_LEFT: ReadonlySet<unknown> = new Set(['EPIPE', 'ECONNRESET', 'EOF']);
